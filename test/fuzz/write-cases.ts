// Cases that write records: one, lists and streams, added and updated, correct or corrupted.

import { isUtf8 } from "node:buffer";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { Customer } from "../support/customer.ts";
import type { Random } from "../support/random.ts";
import type { Fields, RecordGenerator } from "../support/record-generator.ts";
import type { FuzzCase, Scene } from "./fuzz-case.ts";
import { mutateBytes, mutateRecord, mutateText } from "./mutate.ts";
import { type Headers, someUnusualHeaders } from "./unusual-requests.ts";
import { unusualText } from "./unusual-values.ts";

export interface Kit {
  readonly scene: Scene;
  readonly random: Random;
  readonly customer: Customer;
  readonly generator: RecordGenerator;
}

/**
 * One record or a list, added or updated, correct or corrupted in its values, its text, its bytes
 * or its headers.
 */
export function writeJson(kit: Kit): FuzzCase {
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

export function writeItems(kit: Kit, { type, method, asList, corrupt, items }: Written): FuzzCase {
  const { random, customer } = kit;
  const sent = corrupt === "record" ? items.map((item) => corruptItem(kit, type, item)) : items;
  const json = JSON.stringify(asList ? sent : sent[0]);
  const text = corrupt === "text" ? mutateText(random, json) : json;
  const bytes = corrupt === "bytes" ? mutateBytes(random, text) : Buffer.from(text);
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

export function writeStream(kit: Kit): FuzzCase {
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
  switch (random.integer(0, 9)) {
    case 0:
      return { body: gzipSync(bytes), headers: { ...chunked, "content-encoding": "gzip" } };
    case 1:
      return { body: brotliCompressSync(bytes), headers: { ...chunked, "content-encoding": "br" } };
    case 2:
      return { body: zstdCompressSync(bytes), headers: { ...chunked, "content-encoding": "zstd" } };
    default:
      return { body: bytes, headers: chunked };
  }
}

function lenientOr(random: Random): Readonly<Record<string, string>> {
  return random.chance(0.3) ? { prefer: "handling=lenient" } : {};
}
