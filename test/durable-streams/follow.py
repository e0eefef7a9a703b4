"""Follows the feed with the Python client of Durable Streams until it was given so many events. Prints a hash of their
subjects, in the order in which they came."""

import hashlib
import sys

from durable_streams import stream

address, token, mode, count = sys.argv[1:]
digest = hashlib.sha256()
left = int(count)
offset = "-1"
while left > 0:
    with stream(
        f"{address}/v2/changes",
        headers={"authorization": f"Bearer {token}"},
        offset=offset,
        live=False if mode == "catch-up" else mode,
    ) as reply:
        for event in reply.iter_json():
            digest.update(f"{event['subject']}\n".encode())
            left -= 1
            # The end of what there is ends only a client that catches up.
            if left == 0:
                break
        offset = reply.offset
print(digest.hexdigest(), end="")
