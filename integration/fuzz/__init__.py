"""A fuzzer: invalid and extreme requests, beside a valid client that must not be affected."""
