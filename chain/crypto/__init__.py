"""Keys, addresses, signatures and sealed payloads. Pure functions of bytes; knows no transaction
and no state.
"""
