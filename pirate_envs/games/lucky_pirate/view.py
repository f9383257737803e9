def view(g, seat):
    return {"phase": "hand"}


OWN_KEYS = ()


def action_name(g, action):
    return str(action)


def action(g, name):
    return int(name)
