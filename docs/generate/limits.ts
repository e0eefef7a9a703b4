// docs/reference/limits.md: the bounds that a client can meet, with their values from domain/limits.ts.
// Bounds that only the inside knows are left out.

import { limits } from "../../src/domain/limits.ts";
import { generatedNote, page, table } from "./markdown.ts";

type LimitName = keyof typeof limits;

const closed = "the connection is closed";
const newestClosed = "the newest of these connections is closed";
const makesRoom = "an idle one is closed for the new one, or else the new one";

const rows: readonly (readonly [what: string, name: LimitName, beyond: string])[] = [
  ["Characters of an id; at least 1, no control characters", "idCharactersMax", "400"],
  ["Characters of a text field", "textCharactersMax", "400"],
  [
    "Characters of `sar_reason`, `outcome_details` and the value of an additional property",
    "longTextCharactersMax",
    "400",
  ],
  ["Characters of a reason for deletion; at least 1", "reasonCharactersMax", "400"],
  ["Items of a list in a record", "listItemsMax", "400"],
  ["Bytes of one record as JSON", "recordBytesMax", "413"],
  ["Magnitude of an amount (2^53 - 1)", "amountMagnitudeMax", "400"],
  ["Characters of a number as it is written", "numberCharactersMax", "400"],
  ["Days that a timestamp may lie in the future", "timestampAheadDaysMax", "400"],
  ["Items of a list of records; at least 1", "batchItemsMax", "413"],
  [
    "Items of a list of records, and the records that they relate to, together",
    "listRowsMax",
    "413",
  ],
  ["Bytes of a body, also after decompression", "bodyBytesMax", "413"],
  [
    "Bytes of a line of a stream; lines without number",
    "streamLineBytesMax",
    "the line is refused",
  ],
  ["Levels of nesting in a body", "jsonDepthMax", "400"],
  ["Levels of nesting in a field that takes any JSON, itself included", "jsonFieldDepthMax", "400"],
  ["Bytes of a request's headers", "headerBytesMax", "431"],
  ["Errors that one reply names", "fieldErrorsMax", "the message says that there are more"],
  ["Characters of an Idempotency-Key; at least 1", "idempotencyKeyCharactersMax", "400"],
  ["Milliseconds for which an outcome is kept for its key", "idempotencyKeptMs", "it is forgotten"],
  ["Characters of an X-Request-Id of your own", "requestIdCharactersMax", "it is replaced"],
  ["Milliseconds for a request to arrive, but for streams", "bodyTimeoutMs", "408"],
  ["Shortest lifetime of a token, in seconds", "tokenSecondsMin", "400"],
  ["Longest lifetime of a token, in seconds", "tokenSecondsMax", "400"],
  ["Scopes asked for at once", "scopesMax", "400"],
  ["Tokens issued a minute to one key", "tokenRequestsPerMinute", "429"],
  ["Failed authentications a minute from one network", "failedAuthenticationsPerMinute", "429"],
  ["Records that one deletion can take along", "cascadeRecordsMax", "an operator sees it waiting"],
];

const connectionRows: typeof rows = [
  [
    "Requests a second without a credential from one network",
    "unauthenticatedRequestsPerSecond",
    "429",
  ],
  ["The same at once", "unauthenticatedRequestsBurst", "429"],
  [
    "Open connections from one network, unless `TRUST_PROXY` names it",
    "connectionsPerAddressMax",
    makesRoom,
  ],
  ["Open connections", "connectionsMax", makesRoom],
  ["Milliseconds for a request's headers to arrive", "headersTimeoutMs", "408"],
  ["Milliseconds without a byte in either direction", "idleSocketTimeoutMs", closed],
  ["Milliseconds for which a client may go on sending after its last reply", "lingerMs", closed],
  ["Bytes that it may still send then", "lingerBytesMax", closed],
  [
    "Bytes behind requests that wait for their turn, over all connections",
    "unparsedBytesMax",
    newestClosed,
  ],
  [
    "Bytes of replies that clients have not taken, over all connections",
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
  ["Bytes of bodies that one organization has in memory", "organizationBodyBytesMax", waits],
  ["Streams of all organizations in progress", "streamsMax", "503"],
  ["Bytes of bodies of all organizations in memory", "heldBodyBytesMax", waits],
  ["Lines of a stream that are not valid", "streamInvalidLinesMax", streamEnds],
  ["Bytes of a stream after decompression for each byte received", "streamRatioMax", "413"],
];

const work = `## Work

Every request takes one token from the bucket of its organization, which \`RATE_LIMIT_PER_SECOND\` fills. A request that
makes more work takes more tokens once it is done, by whichever of items, bytes and processor time comes to most, so that
the next ones wait until the work is paid for. \`RateLimit\` tells what is left, and \`Retry-After\` of a 429 when it is
enough again. Beyond the bounds on work in progress a request gets 429 or 503 with \`Retry-After\`, after waiting for at
most ${limits.bodyReservationWaitMsMax / 1_000} seconds where memory for its body is missing. The writer serves small writes first, and organizations in turn.`;

const largest = "the largest new bodies get 503";
const large = "all large new bodies and streams get 503";

const sheddingRows: typeof rows = [
  ["Milliseconds of event-loop delay, 99th percentile", "pressureDelayMsMax", large],
  ["Milliseconds for which it has to last", "pressureDelaySustainedMs", large],
  ["Resident memory, unless nothing large is under way", "residentBytesHigh", largest],
  ["The same", "residentBytesCritical", large],
  [
    "Bytes of large bodies that are held; the largest are rejected from 7/8 on",
    "heldBodyBytesMax",
    "a body waits",
  ],
];

const shedding = `## Load shedding

Under pressure a process answers the largest new work with 503 and \`Retry-After\`, and finishes what it has accepted.
Large are bodies from ${limits.shedBodyBytesMin.toLocaleString("en-US")} bytes and streams, the largest those from
${limits.largestBodyBytesMin.toLocaleString("en-US")} bytes, those that don't tell their length or are compressed, and
streams. Health checks, token requests and small requests are served as always. The pressure is in the
[metrics](metrics.md).`;

const connections = `## Connections

A network is an IPv4 address, or the /64 of an IPv6 address. Requests on one connection are executed one after another;
while one waits for the reply before it, the connection is not read. What follows the last reply of a connection, one
with \`Connection: close\`, is never executed.

Where the system allows a process fewer open files, it keeps fewer connections open. \`/health/live\` and
\`/health/ready\` count against no limit of requests, and neither does \`/metrics\` with its token. A valid credential is
accepted however many invalid ones came from its network: many clients may share an address, and a credential of 256
random bits can't be guessed. \`RATE_LIMIT_PER_SECOND=0\` turns the limits of requests off, and none of the others.`;

export function renderLimits(): string {
  return page(
    "# Limits",
    generatedNote,
    "What is not a setting. Requests a second are one: `RATE_LIMIT_PER_SECOND` in [settings](settings.md).",
    tableOf(rows),
    work,
    tableOf(workRows),
    connections,
    tableOf(connectionRows),
    shedding,
    tableOf(sheddingRows),
  );
}

function tableOf(of: typeof rows): string {
  const cells = of.map(([what, name, beyond]) => [
    what,
    limits[name].toLocaleString("en-US"),
    beyond,
  ]);
  return table(["what", "bound", "beyond it"], cells);
}
