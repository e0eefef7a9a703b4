// Follows the feed with the TypeScript client of Durable Streams until it was given so many events. Prints a hash of
// their subjects, in the order in which they came.

import { createHash } from "node:crypto";
import { stream } from "@durable-streams/client";

const [address = "", token = "", mode = "", count = ""] = process.argv.slice(2);
const hash = createHash("sha256");
let [left, offset] = [Number(count), "-1"];
while (left > 0) {
  const reply = await stream<{ readonly subject: string }>({
    url: `${address}/v2/changes`,
    headers: { authorization: `Bearer ${token}` },
    offset,
    live: mode === "catch-up" ? false : (mode as "long-poll" | "sse"),
  });
  for await (const { subject } of reply.jsonStream()) {
    hash.update(`${subject}\n`);
    left -= 1;
    // The end of what there is ends only a client that catches up.
    if (left === 0) break;
  }
  offset = reply.offset;
}
process.stdout.write(hash.digest("hex"));
process.exit();
