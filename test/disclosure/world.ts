// One of the two worlds of a pair: an organization, what an officer writes into it, and a transcript of everything that
// a caller without the scope gets, in which ids, salts and hashes are replaced by their position.

import { createHash } from "node:crypto";
import { keyHashOf, keySpaceOf } from "../../src/actions/intake/idempotency.ts";
import { exportHistory } from "../../src/actions/record/export-records.ts";
import { countRecords } from "../../src/actions/access/find-organization.ts";
import { holdRecord, listHolds } from "../../src/actions/retention/holds.ts";
import { listDeletions } from "../../src/actions/deletion/list-deletions.ts";
import { findReceipt } from "../../src/actions/deletion/read-deletion.ts";
import { showing, viewerOf } from "../../src/actions/operator/viewer.ts";
import { createKey } from "../../src/actions/access/keys.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { describeDeletion, viewForOperator } from "../../src/noun/deletion.ts";
import { confidentialTypes } from "../../src/domain/confidentiality.ts";
import { AppError } from "../../src/domain/error.ts";
import type { RecordKey } from "../../src/domain/record/record-write.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { draftOf } from "../conformance/scene.ts";
import { typeNamed } from "../contract/scene.ts";
import { fetchToken } from "../support/customer.ts";
import type { Service } from "../support/service.ts";
import { placeOf } from "../support/offset-place.ts";
import { samples } from "../feature/samples.ts";
import type { Follower } from "./follower.ts";
import type { Scenario, Step, Written } from "./scenario.ts";
import type { Wire, WireReply } from "./wire.ts";

/** What a world needs of the service, and the connections of its caller. */
export type Place = Pick<Service, "app"> & { readonly wire: Wire };

const graceSeconds = 60;
const feedScopes = ["changes:read", "changes:content"] as const;
/** Offsets and ids of events are encrypted; what offsets begin with is not. */
const feedNumbers = /\b([0-9a-f]{19})?[0-9a-f]{32}\b/g;
/** It covers encrypted numbers. */
const feedTag = /\r\netag: [^\r]*/i;

export class World {
  readonly transcript: string[] = [];
  readonly organizationId: string;
  readonly #place: Place;
  readonly #scenario: Scenario;
  readonly #names = new Map<string, string>();
  readonly #deletions: string[] = [];
  readonly #followers: readonly Follower[];
  #apiKey = "";
  /** Where the caller last was in the feed. */
  #offset = "-1";
  #token = "";
  /** Hidden records that were written. */
  #hiddenCount = 0;

  constructor(place: Place, scenario: Scenario, organizationId: string) {
    this.#place = place;
    this.#scenario = scenario;
    this.organizationId = organizationId;
    this.#followers = samples.flatMap((one) => one.follow?.(place.app, organizationId) ?? []);
    this.#name(organizationId, "organization");
  }

  /** Of those that the caller has requested, in this order. */
  get deletionIds(): readonly string[] {
    return this.#deletions;
  }

  async create(): Promise<void> {
    const { app } = this.#place;
    const { organizationId } = this;
    const { scopes, strictScopes, added, retainDays } = this.#scenario;
    await createOrganization(app, { name: "One of a pair", organizationId });
    await changeOrganization(app, organizationId, {
      strictScopes,
      deletionGraceSeconds: graceSeconds,
      confidentialTypes: added,
      retainDays,
    });
    await this.#oblige();
    const granted = [...scopes, ...feedScopes];
    const { key, secret } = await createKey(app, { organizationId, scopes: granted });
    this.#name(key.keyId, "key");
    this.#apiKey = secret;
    await this.renewToken();
    for (const follower of this.#followers) await follower.create(this.#scenario);
    await this.take({ method: "POST", path: "/v2/recipient", body: { name: "caller" } });
  }

  async renewToken(): Promise<void> {
    const customer = { organizationId: this.organizationId, apiKey: this.#apiKey };
    const scopes = [...this.#scenario.scopes, ...feedScopes];
    this.#token = await fetchToken(this.#place.wire, customer, { scopes });
  }

  /** What the store refuses, such as a second record with the same id, is of no interest. */
  async write({ type, id, fields, mode, idempotencyKey }: Written): Promise<void> {
    const { app } = this.#place;
    const { organizationId } = this;
    const caller = { organizationId, confidential: confidentialTypes(this.#scenario.added) };
    const keySpace = keySpaceOf(caller, typeNamed(type));
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([id, fields]))
      .digest();
    const write = app.store.writeRecords({
      organizationId,
      resourceType: type,
      mode,
      lenient: true,
      receivedAt: app.now(),
      drafts: [draftOf(type, id, fields)],
      ...(idempotencyKey === undefined
        ? {}
        : { idempotency: { keyHash: keyHashOf(keySpace, idempotencyKey), fingerprint } }),
    });
    const outcome = await write.catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
    if (outcome?.drafts[0] === "created" && this.#scenario.hidden.includes(type)) {
      await this.#hold({ organizationId, resourceType: type, resourceId: id });
    }
  }

  /** The same rules in both worlds; the records that they apply to differ. */
  async #oblige(): Promise<void> {
    const { organizationId } = this;
    const { hidden, obliged, floors, retainDays } = this.#scenario;
    for (const floor of floors) {
      const rule = { ...floor, organizationId, countedFrom: "last_seen" } as const;
      await setRule(this.#place.app, rule);
    }
    if (!obliged) return;
    for (const resourceType of hidden) {
      const keepDays = retainDays ?? 3_650;
      const rule = { organizationId, resourceType, keepDays, countedFrom: "last_seen" } as const;
      await setRule(this.#place.app, rule);
    }
  }

  async #hold(key: RecordKey): Promise<void> {
    this.#hiddenCount += 1;
    if (!this.#scenario.obliged || this.#hiddenCount % 2 === 0) return;
    const target = await this.#place.app.store.findRecord(key);
    if (target !== undefined) await holdRecord(this.#place.app, key, { reason: "a case" });
  }

  async take(step: Step): Promise<void> {
    if (!("deletion" in step)) return this.#ask(step);
    const id = this.#deletions[step.deletion] ?? "del_0000000000000000";
    const query = { deletion_request_id: id };
    await this.#ask({ method: "GET", path: "/v2/deletion_request", query });
  }

  /** What an operator may pass on of all records, holds and deletions. */
  async readLists(): Promise<void> {
    const { app } = this.#place;
    const { organizationId } = this;
    const shown = showing(app, { includeConfidential: false });
    this.#add("records", await countRecords(shown, organizationId));
    this.#add("holds", (await listHolds(shown, { organizationId }, { limit: 100 })).shown);
    const listed = await listDeletions(shown, { organizationId }, { limit: 100 });
    // Those that were requested at the same time are in the order of their ids, which are random.
    const named = listed.shown.map(
      ({ deletion: one }) => `${one.resourceType} ${one.resourceId} ${one.status}`,
    );
    this.#add("deletions", named.sort());
    for (const follower of this.#followers)
      this.#add("followers", (await follower.list?.(shown)) ?? []);
  }

  /** The status of every deletion that the caller has requested, also as an operator may pass it on. */
  async readDeletions(): Promise<void> {
    const { app } = this.#place;
    await this.readLists();
    const reader = await viewerOf(app).public().reader(this.organizationId);
    for (const [index, id] of this.#deletions.entries()) {
      await this.take({ deletion: index });
      const deletion = await app.store.findDeletion(id, this.organizationId);
      if (deletion === undefined) continue;
      const receipt = await findReceipt(app, deletion);
      this.#add("operator", viewForOperator(deletion, undefined, { receipt, reader }));
      this.#add("operator", describeDeletion(deletion, undefined, reader));
    }
  }

  /** The feed of changes, from its beginning and from where the caller last was. */
  async readFeed(): Promise<void> {
    for (const offset of new Set(["-1", this.#offset])) {
      for (const more of [{}, { include: "content" }]) {
        const query = { offset, ...more };
        const { head, text } = await this.#send({ method: "GET", path: "/v2/changes", query });
        this.#addNumbered("feed", `${head.replace(feedTag, "")} ${text}`);
        this.#offset = /stream-next-offset: (\w+)/i.exec(head)?.[1] ?? offset;
      }
    }
  }

  /** What recipients and endpoints were told, which then acknowledge it. */
  async readFollowers(): Promise<void> {
    for (const follower of this.#followers) {
      for (const body of (await follower.deliver?.()) ?? []) this.#addNumbered("message", body);
      await follower.acknowledge?.(this.#hiddenCount);
    }
    const path = "/v2/recipient";
    const body = { name: "caller", offset: this.#offset };
    await this.take({ method: "POST", path: `${path}_acknowledgement`, body });
    await this.take({ method: "GET", path });
    await this.take({ method: "GET", path: "/v2/webhook_endpoint" });
  }

  /** Everything that is not hidden, at the end. */
  async readExports(): Promise<void> {
    const { organizationId } = this;
    await this.readLists();
    const visible = recordTypes.filter(
      (type) => !this.#scenario.hidden.includes(type.resourceType),
    );
    for (const type of visible) {
      const all = await Array.fromAsync(exportHistory(this.#place.app, { organizationId, type }));
      this.#add(type.resourceType, all.flat());
    }
  }

  async #ask(ask: Exclude<Step, { readonly deletion: number }>): Promise<void> {
    const reply = await this.#send(ask);
    const { deletion_request_id: id } = reply.body;
    if (id !== undefined && !this.#names.has(id)) {
      this.#name(id, "deletion");
      this.#deletions.push(id);
    }
    this.#add(`${ask.method} ${ask.path} ${reply.head}`, reply.text);
  }

  async #send(ask: Exclude<Step, { readonly deletion: number }>): Promise<WireReply> {
    const reply = await this.#place.wire.send({ ...ask, token: this.#token });
    return { ...reply, head: reply.head.replaceAll(chanceHeaders, "") };
  }

  #name(id: string, kind: string): void {
    this.#names.set(id, `${kind} ${this.#names.size}, ${id.length}`);
  }

  #addNumbered(what: string, page: string): void {
    for (const [id, place] of page.matchAll(feedNumbers)) {
      if (!this.#names.has(id)) this.#name(id, `number ${placeOf(place ?? "")}`);
    }
    this.#add(what, page);
  }

  /** Random text is replaced by its length; its place and the number that is disclosed with it stay. */
  #add(what: string, value: unknown): void {
    const json = typeof value === "string" ? value : JSON.stringify(value);
    let text = json
      .replaceAll(receiptNumber, '"receipt_no":"<number>"')
      .replaceAll(chanceText, (_, name: string, random: string) => `"${name}":${random.length}`);
    for (const [pseudonym] of text.matchAll(pseudonyms)) {
      if (!this.#names.has(pseudonym)) this.#name(pseudonym, "pseudonym");
    }
    for (const [id, name] of this.#names) text = text.replaceAll(id, `<${name}>`);
    this.transcript.push(`${what} ${text}`);
  }
}

/**
 * The length of a body depends on the receipt's number; that it is the one the header says is checked where it is read.
 */
const chanceHeaders = /\r\n(?:x-request-id|date|content-length): [^\r]*/gi;
/** The numbers of receipts count the deletions of the store, those of the other world included. */
const receiptNumber = /"receipt_no":\d+/g;
/** Random, like the ids. */
const pseudonyms = /erased_[0-9a-f]{32}/g;
const chanceText =
  /"(webhook_endpoint_id|receipt_hash|public_key|previous_receipt|signature|salt|removed|kept|references_removed)":"([^"]*)"/g;
