"""What is wrong with a table, and the setting that would help."""


class TableError(ValueError):
    """A table cannot be read or written as asked.

    Parameters
    ----------
    problem : str
        What was found and what was expected.
    setting, value : str
        The setting to change and what to give it, where one would help. The command line turns it
        into its option.

    Examples
    --------
    >>> str(TableError("t.csv is UTF-16, not utf-8", "encoding", "utf-16"))
    "t.csv is UTF-16, not utf-8: pass encoding='utf-16'"
    """

    def __init__(self, problem: str, setting: str = "", value: object = None) -> None:
        super().__init__(f"{problem}: pass {setting}={value!r}" if setting else problem)
        self.problem = problem
        self.setting = setting
        self.value = value

    def __reduce__(self) -> tuple[type["TableError"], tuple[str, str, object]]:
        return type(self), (self.problem, self.setting, self.value)
