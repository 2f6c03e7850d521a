"""Growth curves: costs against the number of requests, connections, partitions, groups, bytes."""
