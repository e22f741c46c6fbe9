"""One contract call: entry points, metered storage, the api and the querier that a contract sees."""
