// docs/reference/limits.md: the bounds that a client can reach, with their values from domain/limits.ts and features.
// Internal bounds are omitted.

import { limits } from "../../src/domain/limits.ts";
import { refusalDelayMsMax, refusalPolicy } from "../../src/http/load/load.ts";
import { addedLimits } from "../../src/process/tables.ts";
import { generatedNote, page, table } from "./markdown.ts";

type LimitName = keyof typeof limits;

const closed = "the connection is closed";
const newestClosed = "the newest of these connections is closed";
const makesRoom = "an idle one is closed for the new one, or otherwise the new one";

const rows: readonly (readonly [what: string, name: LimitName, beyond: string])[] = [
  ["Characters of an id; at least 1, no control characters", "idCharactersMax", "400"],
  ["Digits of a fraction of a second in a timestamp", "fractionDigitsMax", "400"],
  ["Characters of a text field", "textCharactersMax", "400"],
  [
    "Characters of `sar_reason`, `outcome_details` and the value of an additional property; text beyond ASCII can " +
      "reach the bound of a record in bytes first",
    "longTextCharactersMax",
    "400",
  ],
  ["Characters of a reason for deletion; at least 1", "reasonCharactersMax", "400"],
  ["Items of a list in a record", "listItemsMax", "400"],
  ["Bytes of one record as JSON", "recordBytesMax", "413"],
  ["Magnitude of an amount (2^53 - 1)", "amountMagnitudeMax", "400"],
  ["Characters of a number as it is written", "numberCharactersMax", "400"],
  ["Days that a timestamp can be in the future", "timestampAheadDaysMax", "400"],
  ["Items of a list of records; at least 1", "batchItemsMax", "413"],
  ["Items of a list of records plus the records that they relate to", "listRowsMax", "413"],
  ["Bytes of a body, also after decompression", "bodyBytesMax", "413"],
  [
    "Bytes of a line of a stream; the number of lines is unlimited",
    "streamLineBytesMax",
    "the line is refused",
  ],
  ["Levels of nesting in a body", "jsonDepthMax", "400"],
  ["Levels of nesting in a field for any JSON, including itself", "jsonFieldDepthMax", "400"],
  ["Bytes of a request's headers", "headerBytesMax", "431"],
  ["Headers of a request", "headersMax", "431"],
  ["Errors that one reply names", "fieldErrorsMax", "the message says how many more there are"],
  ["Characters of an Idempotency-Key; at least 1", "idempotencyKeyCharactersMax", "400"],
  ["Milliseconds for which an outcome is stored for its key", "idempotencyKeptMs", "it is removed"],
  ["Characters of a client's X-Request-Id", "requestIdCharactersMax", "it is replaced"],
  ["Milliseconds for a request to arrive, except for streams", "bodyTimeoutMs", "408"],
  ["Shortest lifetime of a token, in seconds", "tokenSecondsMin", "400"],
  ["Longest lifetime of a token, in seconds", "tokenSecondsMax", "400"],
  ["Scopes requested at once", "scopesMax", "400"],
  ["Tokens issued a minute to one key", "tokenRequestsPerMinute", "429"],
  ["Failed authentications a minute from one network", "failedAuthenticationsPerMinute", "429"],
  [
    "Attempts to sign in to the console a minute from one network",
    "signInAttemptsPerMinute",
    "429",
  ],
  ["Records in the cascade of one deletion", "cascadeRecordsMax", "operators see that it waits"],
];

const connectionRows: typeof rows = [
  [
    "Requests a second without a credential from one network",
    "unauthenticatedRequestsPerSecond",
    "429",
  ],
  ["The same in a burst", "unauthenticatedRequestsBurst", "429"],
  [
    "Open connections from one network, unless `TRUST_PROXY` names it",
    "connectionsPerAddressMax",
    makesRoom,
  ],
  ["Open connections", "connectionsMax", makesRoom],
  [
    "Connections that wait to be accepted, if the system permits as many (`net.core.somaxconn`)",
    "connectionsWaitingMax",
    "the system ignores a new one, and its client tries again after a second or more",
  ],
  ["Milliseconds for a request's headers to arrive", "headersTimeoutMs", "408"],
  ["Milliseconds without a byte in either direction", "idleSocketTimeoutMs", closed],
  ["Milliseconds for which a client can continue to send after its last reply", "lingerMs", closed],
  ["Bytes that it can still send then", "lingerBytesMax", closed],
  [
    "Bytes that wait for a reply or for the reader of a chunked body, over all connections",
    "unparsedBytesMax",
    "those that have waited longest are closed",
  ],
  [
    "Chunks or empty lines of a chunked body, from which their mean size counts",
    "chunksMin",
    "no bound by itself",
  ],
  ["Bytes of each, on average, in such a body", "chunkBytesMeanMin", "400"],
  [
    "Bytes of replies that clients have not read, over all connections",
    "queuedReplyBytesMax",
    newestClosed,
  ],
];

const waits = "it waits, and then gets 503";
const perToken = "one more token is taken";
const streamEnds = "the stream ends with its summary, which says so";

const workRows: typeof rows = [
  ["Items of a list or lines of a stream for one token", "itemsPerToken", perToken],
  ["Bytes of a body, after decompression, for one token", "bytesPerToken", perToken],
  ["Milliseconds of processor time for one token", "processorMsPerToken", perToken],
  ["Requests of one organization in progress", "organizationRequestsMax", "429"],
  ["Streams of one organization in progress", "organizationStreamsMax", "429"],
  ["Bytes of bodies of one organization in memory", "organizationBodyBytesMax", waits],
  ["Streams of all organizations in progress", "streamsMax", "503"],
  ["Bytes of bodies of all organizations in memory", "heldBodyBytesMax", waits],
  ["Invalid lines of a stream", "streamInvalidLinesMax", streamEnds],
  ["Bytes of a stream after decompression for each byte received", "streamRatioMax", "413"],
  ["Window of a body in zstd, as a power of two of bytes", "zstdWindowLogMax", "413"],
];

const work = `## Work

Every request takes one token from the bucket of its organization, which \`RATE_LIMIT_PER_SECOND\` fills. A request with
more work takes more tokens once it is done, by the largest of items, bytes and processor time, so that the next ones
wait accordingly. \`RateLimit\` has the number of tokens left, and \`Retry-After\` of a 429 the time until there are
enough. Beyond the bounds on work in progress a request gets 429 or 503 with \`Retry-After\`, after waiting for at
most ${limits.bodyReservationWaitMsMax / 1_000} seconds if memory for its body is missing. The writer serves small writes first, and organizations in turn, which on PostgreSQL also take turns in the connections.

A client that ignores \`Retry-After\` is slowed down: after ${refusalPolicy.burst} replies of 429 to one organization, or to one network
without a credential, at most ${refusalPolicy.perSecond} follow in a second, each of them up to ${refusalDelayMsMax} milliseconds late.`;

const largest = "the largest new bodies get 503";
const large = "all large new bodies and streams get 503";

const sheddingRows: typeof rows = [
  ["Milliseconds of event-loop delay, 99th percentile", "pressureDelayMsMax", large],
  ["Milliseconds for which it has to last", "pressureDelaySustainedMs", large],
  [
    "Resident memory without what is retained, unless no other large work is in progress",
    "residentBytesHigh",
    largest,
  ],
  ["The same", "residentBytesCritical", large],
  [
    "Bytes of large bodies in memory; the largest are refused from 7/8 on",
    "heldBodyBytesMax",
    "a body waits",
  ],
];

const shedding = `## Load shedding

Under pressure a process refuses the largest new work with 503 and \`Retry-After\`, and finishes what it has accepted.
Bodies from ${limits.shedBodyBytesMin.toLocaleString("en-US")} bytes and streams count as large; bodies from
${limits.largestBodyBytesMin.toLocaleString("en-US")} bytes, bodies that are compressed or have no stated length, and
streams count as the largest. Health checks, token requests and small requests are always served. The
[metrics](metrics.md) show the pressure.`;

const connections = `## Connections

A network is an IPv4 address, or the /64 of an IPv6 address; its /56 has four times and its /48 sixteen times as much, and
two and three times as many connections. Requests on one connection are executed one after another;
while one waits for the reply before it, the connection is not read. Requests after the last reply of a connection, the
one with \`Connection: close\`, are never executed.

If the system limits the open files of a process, it keeps fewer connections open. \`/health/live\` and
\`/health/ready\` count against no limit of requests, and neither does \`/metrics\` with its token. A valid credential is
accepted however many invalid ones came from its network: many clients can share an address, and a credential of 256
random bits can't be guessed. \`RATE_LIMIT_PER_SECOND=0\` turns off the limits of requests, but none of the others.`;

export function renderLimits(): string {
  return page(
    "# Limits",
    generatedNote,
    "Fixed bounds. The rate limit is a setting: `RATE_LIMIT_PER_SECOND` in [settings](settings.md).",
    tableOf(rows),
    work,
    tableOf(workRows, addedLimits),
    connections,
    tableOf(connectionRows),
    shedding,
    tableOf(sheddingRows),
  );
}

function tableOf(of: typeof rows, added: typeof addedLimits = []): string {
  const own = of.map(([what, name, beyond]) => [what, limits[name], beyond] as const);
  const cells = [...own, ...added].map(([what, value, beyond]) => [
    what,
    value.toLocaleString("en-US"),
    beyond,
  ]);
  return table(["what", "bound", "beyond it"], cells);
}
