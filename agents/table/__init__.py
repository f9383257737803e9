"""A table for the browser: people and players around one match, watchers, replays afterwards. This is its server.

`app` answers requests, `rooms` plays the matches, `store` keeps every decision, `limits` bounds what a browser may ask.
"""
