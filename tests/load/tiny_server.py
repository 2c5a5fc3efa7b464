"""The tiny AWS as a program: prints its address and runs until its standard input ends."""

import sys

from tests.support.tiny_aws import tiny_aws

if __name__ == "__main__":
    with tiny_aws() as received:
        print(received.url, flush=True)
        sys.stdin.read()
