// Generates the cases, each from its own seed alone, so that each can be repeated without those before it. Cases that
// write records: one, lists and streams, added and updated, correct or corrupted.

import { isUtf8 } from "node:buffer";
import { recordTypes } from "../../src/domain/record-types.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { pickWeighted, type Random } from "../support/random.ts";
import {
  type Fields,
  makeRecordGenerator,
  type RecordGenerator,
} from "../support/record-generator.ts";
import type { FuzzCase, Scene } from "./fuzz-case.ts";
import { encoders, mutateBytes, mutateRecord, mutateText } from "./mutate.ts";
import {
  badAuthorizations,
  type Headers,
  methods,
  rawMessages,
  someUnusualHeaders,
  unusualPath,
} from "./unusual-requests.ts";
import type { RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import { unusualText } from "./unusual-values.ts";

export function makeCase(scene: Scene, seed: number): FuzzCase {
  const generator = makeRecordGenerator(seed, `f${seed}-`);
  const { random } = generator;
  const maker = pickWeighted(random, makers);
  return maker({ scene, random, customer: random.pick(scene.customers), generator });
}

type Maker = (kit: Kit) => FuzzCase;

const makers: readonly (readonly [number, Maker])[] = [
  [50, writeJson],
  [10, writeStream],
  [10, otherBody],
  [8, requestUnusualPath],
  [8, badCredential],
  [5, withReader],
  [6, rawMessage],
  [3, corruptedMessage],
];

/**
 * Requests of the other operations that accept a body. They delete records of the unwatched
 * customer, added just before.
 */
function otherBody(kit: Kit): FuzzCase {
  const { scene, random, generator } = kit;
  const { organizationId, apiKey, token } = scene.unwatched;
  const type = random.pick(recordTypes.filter(({ deletable }) => deletable === true));
  const record = generator.record(type);
  const before = writeItems(
    { ...kit, customer: scene.unwatched },
    { type, method: "POST", asList: false, corrupt: "nothing", items: [record] },
  );
  const id = record[type.idField];
  const reason = "fuzz";
  const scopes = { organization_id: organizationId, scopes: [random.pick(allScopes)] };
  const [method, path, body] = random.pick<readonly [string, string, Fields]>([
    ["POST", "/auth/token", { expiry_seconds: random.integer(250, 90_000), scopes }],
    ["POST", "/v2/auth/token", { expiry_seconds: 300, scopes }],
    ["DELETE", `/v2/${type.resourceType}`, { [type.idField]: id, reason }],
    ["POST", "/v2/deletion_request", { resource_type: type.resourceType, resource_id: id, reason }],
  ]);
  const json = JSON.stringify(random.chance(0.8) ? mutateRecord(random, body) : body);
  const issuesToken = path.endsWith("/auth/token");
  return {
    what: `${method} ${path}`,
    ask: {
      method,
      path,
      body: random.chance(0.2) ? mutateText(random, json) : json,
      headers: {
        authorization: issuesToken ? apiKey : `Bearer ${token}`,
        ...(random.chance(0.2) ? someUnusualHeaders(random) : {}),
      },
    },
    ...(issuesToken ? {} : { before }),
    authorized: true,
  };
}

function requestUnusualPath({ random, customer }: Kit): FuzzCase {
  const method = random.pick(methods);
  const path = unusualPath(random);
  const body = ["GET", "HEAD", "OPTIONS", "TRACE"].includes(method) ? undefined : "{}";
  return {
    what: `${method} ${path.slice(0, 80)}`,
    ask: {
      method,
      path,
      token: customer.token,
      body,
      headers: random.chance(0.3) ? someUnusualHeaders(random) : {},
    },
    authorized: true,
  };
}

function badCredential(kit: Kit): FuzzCase {
  const { random, customer } = kit;
  const made = random.chance(0.7) ? writeJson(kit) : requestUnusualPath(kit);
  const credential = random.pick(badAuthorizations(customer.apiKey, customer.token));
  const { token: _token, ...ask } = made.ask;
  const isOpen = !made.ask.path.startsWith("/v2/");
  return {
    ...made,
    what: `${made.what}, with a bad credential`,
    ask: { ...ask, headers: { ...ask.headers, ...credential } },
    authorized: isOpen,
    ...intent(made),
  };
}

/** A write without permission has to be rejected. */
function intent({ write }: FuzzCase): Pick<FuzzCase, "write"> {
  return write === undefined ? {} : { write: { ...write, valid: false } };
}

/** With a token that can read persons and nothing else. */
function withReader(kit: Kit): FuzzCase {
  const made = writeJson(kit);
  return {
    ...made,
    what: `${made.what}, by one who may only read`,
    ask: { ...made.ask, token: kit.scene.readerToken },
    authorized: false,
    ...intent(made),
  };
}

const noAsk = { method: "", path: "" };

function rawMessage({ random }: Kit): FuzzCase {
  const raw = random.chance(0.8)
    ? Buffer.from(random.pick(rawMessages), "latin1")
    : Buffer.from(Array.from({ length: random.integer(1, 400) }, () => random.integer(0, 255)));
  return {
    what: `raw ${JSON.stringify(raw.toString("latin1")).slice(0, 300)}`,
    ask: noAsk,
    raw,
    authorized: false,
  };
}

/** A correct message with bytes changed, inserted, removed, or cut off. */
function corruptedMessage({ scene, random, generator }: Kit): FuzzCase {
  const type = random.pick(recordTypes);
  const body = JSON.stringify(generator.record(type));
  const length = Buffer.byteLength(body) + random.pick([0, 0, 0, 1, -1, 1_000]);
  const head =
    `POST /v2/${type.resourceType} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.unwatched.token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
  const bytes = Buffer.from(head + body);
  const places = random.chance(0.5) ? head.length : bytes.length;
  for (let times = random.integer(0, 3); times > 0; times -= 1) {
    bytes[random.integer(0, places - 1)] = random.integer(0, 255);
  }
  const raw = random.chance(0.3) ? bytes.subarray(0, random.integer(1, bytes.length)) : bytes;
  return { what: `a corrupted message of ${type.resourceType}`, ask: noAsk, raw, authorized: true };
}

interface Kit {
  readonly scene: Scene;
  readonly random: Random;
  readonly customer: Customer;
  readonly generator: RecordGenerator;
}

/**
 * One record or a list, added or updated, correct or corrupted in its values, its text, its bytes
 * or its headers.
 */
function writeJson(kit: Kit): FuzzCase {
  const { random, generator } = kit;
  const type = random.pick(recordTypes);
  const corrupt = random.pick(corruptions);
  const asList = random.chance(0.5);
  const count = asList ? random.integer(1, 5) : 1;
  const added = Array.from({ length: count }, () => generator.record(type));
  if (random.chance(0.8))
    return writeItems(kit, { type, method: "POST", asList, corrupt, items: added });
  const items = added.map((record) => generator.update(type, String(record[type.idField])));
  return {
    ...writeItems(kit, { type, method: "PUT", asList, corrupt, items }),
    before: writeItems(kit, { type, method: "POST", asList, corrupt: "nothing", items: added }),
  };
}

const corruptions = ["nothing", "record", "record", "record", "text", "bytes", "headers"] as const;

interface Written {
  readonly type: RecordType;
  readonly method: "POST" | "PUT";
  readonly asList: boolean;
  readonly corrupt: (typeof corruptions)[number];
  readonly items: readonly Fields[];
}

function writeItems(kit: Kit, { type, method, asList, corrupt, items }: Written): FuzzCase {
  const { random, customer } = kit;
  const sent = corrupt === "record" ? items.map((item) => corruptItem(kit, type, item)) : items;
  const json = JSON.stringify(asList ? sent : sent[0]);
  const text = corrupt === "text" ? mutateText(random, json) : json;
  const plain = Buffer.from(text);
  const bytes = corrupt === "bytes" ? mutateBytes(random, plain) : plain;
  const headers: Headers = corrupt === "headers" ? someUnusualHeaders(random) : {};
  const encoded = corrupt === "headers" ? { body: bytes, headers: {} } : encode(random, bytes);
  return {
    what: `${method} ${asList ? "a list" : "one"} of ${type.resourceType}, corrupted: ${corrupt}`,
    ask: {
      method,
      path: asList ? `/v2/${type.batchPath ?? type.resourceType}` : `/v2/${type.resourceType}`,
      token: customer.token,
      body: encoded.body,
      headers: { ...encoded.headers, ...lenientOr(random), ...headers },
    },
    write: {
      type,
      organizationId: customer.organizationId,
      operation: method === "PUT" ? "update" : "add",
      form: headers["content-type"] === "application/x-ndjson" ? "stream" : "json",
      text: isUtf8(bytes) && isPlain(headers["content-encoding"]) ? bytes.toString() : undefined,
      valid: corrupt === "nothing",
    },
    authorized: true,
  };
}

function isPlain(encoding: Headers[string]): boolean {
  return encoding === undefined || encoding === "identity";
}

function writeStream(kit: Kit): FuzzCase {
  const { random, customer, generator } = kit;
  const type = random.pick(recordTypes);
  const corrupted = random.chance(0.7);
  const lines = Array.from({ length: random.integer(0, 8) }, () => {
    const record = generator.record(type);
    const line = JSON.stringify(
      corrupted && random.chance(0.5) ? corruptItem(kit, type, record) : record,
    );
    return corrupted && random.chance(0.2) ? mutateText(random, line).replaceAll("\n", " ") : line;
  });
  const text = lines.join(random.pick(["\n", "\r\n", "\n\n"])) + random.pick(["", "\n"]);
  const encoding = encode(random, Buffer.from(text));
  const path = `/v2/${type.batchPath ?? type.resourceType}`;
  return {
    what: `a stream of ${type.resourceType}${corrupted ? ", corrupted" : ""}`,
    ask: {
      method: "POST",
      path,
      token: customer.token,
      ...encoding,
      headers: { ...encoding.headers, "content-type": "application/x-ndjson" },
    },
    write: {
      type,
      organizationId: customer.organizationId,
      operation: "add",
      form: "stream",
      text,
      valid: !corrupted,
    },
    authorized: true,
  };
}

function corruptItem({ random, generator }: Kit, type: RecordType, item: Fields): unknown {
  if (random.chance(0.2)) return item;
  if (random.chance(0.9)) return mutateRecord(random, item);
  return { ...item, [type.idField]: `${generator.id(type)}${unusualText(random)}` };
}

function encode(
  random: Random,
  bytes: Buffer,
): { body: Buffer; headers: Readonly<Record<string, string | undefined>> } {
  const chunked = random.chance(0.2)
    ? { "transfer-encoding": "chunked", "content-length": undefined }
    : {};
  if (random.chance(0.7)) return { body: bytes, headers: chunked };
  const encoding = random.pick(["gzip", "br", "zstd"] as const);
  return { body: encoders[encoding](bytes), headers: { ...chunked, "content-encoding": encoding } };
}

function lenientOr(random: Random): Readonly<Record<string, string>> {
  return random.chance(0.3) ? { prefer: "handling=lenient" } : {};
}
