"""One contract call: entry points, metered storage, the api and the querier it sees."""
