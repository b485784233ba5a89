def checkpoint():
    pass
