// Many cheap changes: lists and streams of screenings that belong to nothing, and lists of updates of them. A ledger
// keeps what was sent and answered by the list, because a campaign has millions of them.

import { exchange, type Sender } from "../crash/sender.ts";
import type { FeedEvent } from "./compare.ts";

/** Records that were added together, and are updated together. */
interface Range {
  readonly prefix: string;
  readonly size: number;
  readonly versions: Version[];
}

interface Version {
  /** All or nothing is stored. */
  readonly atomic: boolean;
  /** Numbers that order what all senders sent and were answered. */
  readonly sentAt: number;
  acknowledgedAt: number | undefined;
}

const idPrefix = "bulk.";
const updatedMax = 8;
const findingsMax = 20;

export class BulkLedger {
  readonly #ranges = new Map<string, Range>();
  /** By sender: those that it may update. */
  readonly #known = new Map<Sender, Range[]>();
  #clock = 0;
  acknowledged = 0;

  /** A list, a stream or an update, of up to this many records. */
  async write(sender: Sender, sizeMax: number): Promise<void> {
    const { random } = sender.generator;
    const known = this.#known.get(sender) ?? [];
    const isUpdate = known.length > 0 && random.chance(0.25);
    const range = isUpdate ? random.pick(known) : this.#newRange(sender, sizeMax);
    if (isUpdate)
      this.#known.set(
        sender,
        known.filter((one) => one !== range),
      );
    const isStream = !isUpdate && random.chance(0.2);
    if (!(await this.#send(sender, range, isStream)) || random.chance(0.3)) return;
    this.#known.set(sender, [...(this.#known.get(sender) ?? []), range].slice(-updatedMax));
  }

  /** A record that is the last one of its organization, when it was acknowledged; its id. */
  async writeLast(sender: Sender): Promise<string | undefined> {
    const range = this.#newRange(sender, 1);
    return (await this.#send(sender, range, false)) ? `${range.prefix}0` : undefined;
  }

  #newRange(sender: Sender, sizeMax: number): Range {
    const prefix = `${idPrefix}${sender.name}.${this.#ranges.size}.`;
    const size = sender.generator.random.integer(1, sizeMax);
    const range = { prefix, size, versions: [] };
    this.#ranges.set(prefix, range);
    return range;
  }

  /** True if it was acknowledged. */
  async #send(sender: Sender, range: Range, isStream: boolean): Promise<boolean> {
    const isUpdate = range.versions.length > 0;
    const items = itemsOf(range);
    const sentAt = (this.#clock += 1);
    const version: Version = { atomic: !isStream, sentAt, acknowledgedAt: undefined };
    range.versions.push(version);
    const reply = await exchange(sender, {
      method: isUpdate ? "PUT" : "POST",
      path: "/v2/screening",
      token: sender.token,
      ...(isStream
        ? {
            headers: { "content-type": "application/x-ndjson" },
            body: items.map((item) => JSON.stringify(item)).join("\n"),
          }
        : { body: items }),
    });
    // The summary of a stream says that the rest of it failed for the moment.
    if (reply === undefined || (isStream && reply.text.includes('"code":503'))) return false;
    if (reply.status >= 300 || !reply.text.includes(`"write_count":${range.size}`)) {
      sender.ledger.findings.push(`${range.prefix}: ${reply.status} ${reply.text.slice(0, 300)}`);
      return false;
    }
    version.acknowledgedAt = this.#clock += 1;
    this.acknowledged += range.size;
    return true;
  }

  /**
   * Every acknowledged one is in the feed once, and others at most once. Nothing follows what was sent after it was
   * acknowledged.
   */
  compare(feeds: readonly (readonly FeedEvent[])[]): readonly string[] {
    const found = new Map<Version, Set<string>>();
    const findings = feeds.flatMap((feed) => this.#compareOrder(feed, found));
    for (const { prefix, size, versions } of this.#ranges.values()) {
      for (const [number, version] of versions.entries()) {
        const count = found.get(version)?.size ?? 0;
        const { acknowledgedAt, atomic } = version;
        if (count === size || (acknowledgedAt === undefined && (count === 0 || !atomic))) continue;
        findings.push(`${count} of the ${size} changes ${prefix}*, version ${number}, are there`);
      }
    }
    return findings.slice(0, findingsMax);
  }

  /** Adds what it finds to `found`. */
  #compareOrder(feed: readonly FeedEvent[], found: Map<Version, Set<string>>): readonly string[] {
    const findings: string[] = [];
    let latestSent = 0;
    for (const { subject, data } of feed) {
      if (!subject.startsWith(idPrefix)) continue;
      const range = this.#ranges.get(subject.slice(0, subject.lastIndexOf(".") + 1));
      const version = range?.versions[Number((data as { provider: string }).provider)];
      if (version === undefined) {
        findings.push(`nobody sent ${subject}`);
        continue;
      }
      const ids = found.get(version) ?? new Set();
      if (ids.has(subject)) findings.push(`${subject} is there twice`);
      found.set(version, ids.add(subject));
      latestSent = Math.max(latestSent, version.sentAt);
      if ((version.acknowledgedAt ?? Infinity) < latestSent) {
        findings.push(`${subject} follows what was sent after it was acknowledged`);
      }
    }
    return findings;
  }
}

/** The next version of its records. */
function itemsOf({ prefix, size, versions }: Range): readonly object[] {
  const first = { type: "SANCTION", outcome: "NEGATIVE", lists: [] };
  return Array.from({ length: size }, (_, index) => ({
    screening_id: `${prefix}${index}`,
    provider: `${versions.length}`,
    timestamp: "2026-01-31T09:30:00Z",
    ...(versions.length === 0 ? first : {}),
  }));
}

/** `key`: of a record, with its organization and type. */
export function isOfBulk(key: string): boolean {
  return key.includes(`/screening/${idPrefix}`);
}
