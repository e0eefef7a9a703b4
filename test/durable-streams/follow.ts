// Follows the feed with the TypeScript client of Durable Streams until it was given the last event. Prints a hash of
// the subjects of all events, in the order in which they came.

import { createHash } from "node:crypto";
import { stream } from "@durable-streams/client";

const [address = "", token = "", mode = "", last = ""] = process.argv.slice(2);
const hash = createHash("sha256");
let [subject, offset] = ["", "-1"];
while (subject !== last) {
  const reply = await stream<{ readonly subject: string }>({
    url: `${address}/v2/changes`,
    headers: { authorization: `Bearer ${token}` },
    offset,
    live: mode === "catch-up" ? false : (mode as "long-poll" | "sse"),
  });
  for await (const event of reply.jsonStream()) {
    ({ subject } = event);
    hash.update(`${subject}\n`);
    // The end of what there is ends only a client that catches up.
    if (subject === last) break;
  }
  offset = reply.offset;
}
process.stdout.write(hash.digest("hex"));
process.exit();
