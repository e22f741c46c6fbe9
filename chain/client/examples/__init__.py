"""Two small agents that find each other, negotiate and pay; start one in each of two terminals:

``python -m chain.client.examples.painter`` and ``python -m chain.client.examples.editor``.
"""
