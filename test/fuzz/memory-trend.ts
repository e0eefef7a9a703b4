// Follows the memory of a server: its heaps after garbage collections, and the resident memory, at
// the start and at the end of a campaign.

import { readMemory } from "../support/process-memory.ts";
import type { ServerProcess } from "../support/server-process.ts";

interface Sample {
  readonly requests: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
}

const everyMs = 1_000;
/** At first, code is compiled and caches are filled. */
const warmUpRequests = 10_000;
/**
 * Samples at each end: the heap grows between two collections, so the smallest of several is used.
 */
const window = 15;
const growthMax = 96 * 1_024 * 1_024;
const residentBytesMax = 600 * 1_000_000;

export class MemoryTrend {
  readonly #server: ServerProcess;
  /** The samples of the start, and the last ones. */
  readonly #first: Sample[] = [];
  #last: Sample[] = [];
  #next = 0;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  /** Takes a sample if it is due. */
  async sample(requests: number): Promise<void> {
    const now = performance.now();
    if (now < this.#next || requests < warmUpRequests) return;
    this.#next = now + everyMs;
    const { text } = await this.#server.client.send({ method: "GET", path: "/metrics" });
    const heapBytes = Number(/^sluice_nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]);
    const { residentBytes = 0 } = readMemory(this.#server.child.pid ?? 0);
    const sample = { requests, heapBytes, residentBytes };
    if (this.#first.length < window) this.#first.push(sample);
    else this.#last = [...this.#last, sample].slice(-window);
  }

  findings(): readonly string[] {
    const { heap, resident } = this.#figures();
    if (this.#last.length < window) return [];
    const findings = [];
    if (heap.end - heap.start > growthMax) findings.push(`the heap grew: ${this.describe()}`);
    if (resident.most > residentBytesMax) findings.push(`much is resident: ${this.describe()}`);
    return findings;
  }

  describe(): string {
    const { heap, resident } = this.#figures();
    return (
      `heap ${megabytes(heap.start)} MB at the start, ${megabytes(heap.end)} at the end; ` +
      `resident ${megabytes(resident.start)} and ${megabytes(resident.end)}, at most ${megabytes(resident.most)}`
    );
  }

  #figures() {
    const [first, last] = [this.#first, this.#last];
    const most = Math.max(0, ...[...first, ...last].map(({ residentBytes }) => residentBytes));
    return {
      heap: { start: smallest(first, "heapBytes"), end: smallest(last, "heapBytes") },
      resident: {
        start: smallest(first, "residentBytes"),
        end: smallest(last, "residentBytes"),
        most,
      },
    };
  }
}

function smallest(samples: readonly Sample[], of: "heapBytes" | "residentBytes"): number {
  return samples.length === 0 ? 0 : Math.min(...samples.map((sample) => sample[of]));
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
