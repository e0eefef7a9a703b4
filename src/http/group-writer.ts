// Gathers what comes in while a group of it is being written, so that reading goes on meanwhile and the next group is as
// large as what came in that time. One group is under way at a time, in order. Reads and stops reading nothing itself.

export interface GroupOptions<Item> {
  readonly write: (items: readonly Item[]) => Promise<void>;
  /** Of one group. */
  readonly itemsMax: number;
  /** Gathered bytes beyond which it is full. */
  readonly bytesMax: number;
  /** Told when it was full and no longer is. */
  readonly onRoom: () => void;
  /** Told once; nothing is written after a failure. */
  readonly onFailure: (error: unknown) => void;
}

export class GroupWriter<Item> {
  readonly #options: GroupOptions<Item>;
  #gathered: Item[] = [];
  #bytes = 0;
  #writing: Promise<void> | undefined;
  #failed = false;

  constructor(options: GroupOptions<Item>) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#gathered.length >= this.#options.itemsMax || this.#bytes >= this.#options.bytesMax;
  }

  add(item: Item, bytes: number): void {
    if (this.#failed) return;
    this.#gathered.push(item);
    this.#bytes += bytes;
  }

  /** Begins to write what is gathered, unless a group is under way: then what is gathered follows it. */
  start(): void {
    if (this.#writing !== undefined || this.#gathered.length === 0) return;
    const wasFull = this.isFull;
    const group = this.#gathered.splice(0, this.#options.itemsMax);
    if (this.#gathered.length === 0) this.#bytes = 0;
    this.#writing = this.#write(group);
    if (wasFull && !this.isFull) this.#options.onRoom();
  }

  /** Resolves when everything that was gathered is written, or when writing has failed. */
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
      this.#gathered = [];
      this.#options.onFailure(error);
    }
  }
}
