// Collects items while a group of earlier ones is being written, so that reading continues meanwhile and the next group has all
// that arrived in that time. One group is written at a time, in order. Never pauses the source itself.

export interface GroupOptions<Item> {
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** The most items of one group. */
  readonly itemsMax: number;
  /** Collected bytes beyond which the writer is full. */
  readonly bytesMax: number;
  /** Called when the writer was full and no longer is. */
  readonly onRoom: () => void;
  /** Called once; nothing is written after a failure. */
  readonly onFailure: (error: unknown) => void;
}

export class GroupWriter<Item> {
  readonly #options: GroupOptions<Item>;
  #collected: Item[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #failed = false;

  constructor(options: GroupOptions<Item>) {
    this.#options = options;
  }

  get isFull(): boolean {
    return (
      this.#collected.length >= this.#options.itemsMax || this.#bytes >= this.#options.bytesMax
    );
  }

  add(item: Item, bytes: number): void {
    if (this.#failed) return;
    this.#collected.push(item);
    this.#bytes += bytes;
  }

  /** Begins to write the collected items, unless a group is being written; then they follow it. */
  start(): void {
    if (this.#writing !== undefined || this.#collected.length === 0) return;
    const wasFull = this.isFull;
    const group = this.#collected.splice(0, this.#options.itemsMax);
    if (this.#collected.length === 0) this.#bytes = 0;
    this.#writing = this.#write(group);
    if (wasFull && !this.isFull) this.#options.onRoom();
  }

  /** Resolves when all collected items are written, or when writing has failed. */
  async end(): Promise<void> {
    this.start();
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(group: readonly Item[]): Promise<void> {
    try {
      await this.#options.write(group);
      this.#writing = undefined;
      this.start();
    } catch (error) {
      this.#writing = undefined;
      this.#failed = true;
      this.#collected = [];
      this.#options.onFailure(error);
    }
  }
}
