"""What drives the App without a clock: the embedded producer, the mempool, the event log and its
replay."""
