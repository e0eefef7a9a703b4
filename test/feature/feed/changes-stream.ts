// A stream of the feed of changes as a client without a library reads it.

import type { Customer } from "../../support/customer.ts";
import { openRaw, type RawConnection } from "../../support/raw-socket.ts";

interface Control {
  readonly streamNextOffset: string;
  readonly streamCursor: string;
  readonly upToDate?: boolean;
}

export function openStream(address: string, { token }: Customer, query: string): RawConnection {
  const raw = openRaw(address);
  raw.socket.write(
    `GET /v2/changes?${query} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
  );
  return raw;
}

/** The body of a chunked reply so far. Only the chunks have line breaks with a carriage return. */
export function eventsIn(raw: RawConnection): {
  subjects: readonly string[];
  controls: readonly Control[];
} {
  const bytes = raw.received().replaceAll(/\r\n[0-9a-f]+\r\n/g, "");
  const lines = Buffer.from(bytes, "latin1").toString("utf8").split(/\r?\n/).slice(0, -1);
  const data = lines.filter((line) => line.startsWith("data:"));
  const parsed = data.map(
    (line) => JSON.parse(line.slice(5)) as Control | readonly { subject: string }[],
  );
  return {
    subjects: parsed.flatMap((item) =>
      "length" in item ? item.map(({ subject }) => subject) : [],
    ),
    controls: parsed.flatMap((item) => ("length" in item ? [] : [item])),
  };
}
