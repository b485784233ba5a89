from . import functional  # noqa: F401


class Module:
    pass
