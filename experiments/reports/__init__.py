"""Strategy reports: what millions of deals teach, one question a module.

A question is registered before its numbers (`report.Registered`); exploring, fitting and confirming deals are different ones;
all intervals are by deal; every finding is asked of other players too; and the same deals with what is asked about taken out
at random must find nothing. A new report is a module in the game's folder here, with a subclass of `report.Report`.
"""
