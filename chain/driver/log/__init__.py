"""The event log as a product: records, files, verification, replay, differences."""
