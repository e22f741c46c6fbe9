"""The page that people look at: agents, messages, tasks, an explorer, the log, controls and charts.

A process of its own that reads a node over its RPC like everybody else. Made with NiceGUI, which
brings its front end along; the extra ``ui`` installs it.
"""
