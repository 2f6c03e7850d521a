"""What brokers run while they are profiled: the requests that clients send most often.

They are sent in all versions, because each version has a reader and a writer of its own.
"""
