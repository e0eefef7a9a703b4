"""Follows the feed with the Python client of Durable Streams until it was given the last event. Prints a hash of the
subjects of all events, in the order in which they came."""

import hashlib
import sys

from durable_streams import stream

address, token, mode, last = sys.argv[1:]
digest = hashlib.sha256()
subject = ""
offset = "-1"
while subject != last:
    with stream(
        f"{address}/v2/changes",
        headers={"authorization": f"Bearer {token}"},
        offset=offset,
        live=False if mode == "catch-up" else mode,
    ) as reply:
        for event in reply.iter_json():
            subject = event["subject"]
            digest.update(f"{subject}\n".encode())
            # The end of what there is ends only a client that catches up.
            if subject == last:
                break
        offset = reply.offset
print(digest.hexdigest(), end="")
