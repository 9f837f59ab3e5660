"""The regular expressions of other libraries, read and written for the package `regex`."""
