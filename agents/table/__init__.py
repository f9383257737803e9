"""The table in the browser: people and players around one match, watchers, replays afterwards (`pirates table`).

`app` answers requests, `rooms` plays the matches, `store` keeps every decision on disk, `limits` bounds what a browser may ask.
"""
