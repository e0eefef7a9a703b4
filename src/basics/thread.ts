// Starts threads, and lets each side of one call functions of the other. Knows nothing of what they do.

import { type Transferable, Worker, type WorkerOptions } from "node:worker_threads";

/** `caller`: its `import.meta.url`. The thread's file is beside the caller's, both as source and when built. */
export function startThread(caller: string, name: string, options?: WorkerOptions): Worker {
  return new Worker(new URL(name + caller.slice(caller.lastIndexOf(".")), caller), options);
}

/** The message of a thread that makes one thing. Rejects with its error, or with `ended` if it ends before. */
export function onlyMessage<Made>(thread: Worker, ended: Error): Promise<Made> {
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(ended));
  });
}

/** What one side offers to the other, by name. The errors that it throws arrive without their class. */
type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** One without `id` is not answered. */
interface Call {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly id?: number;
}

type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: unknown });

/** `null` asks for the end. */
type Message = Call | Answer | null;

/** The part of a Worker or a MessagePort that is needed. */
interface Thread {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  on(event: string, listener: (value: unknown) => void): unknown;
}

interface CallOptions {
  /** Starts the other side, or returns the port to it. */
  readonly start: () => Thread;
  readonly own?: Functions;
  /** Loads more of its own functions, when one of them is first called. */
  readonly load?: () => Promise<Functions>;
  /** Called when the other side has ended unasked, or without an answer; returns what its calls are rejected with. */
  readonly ended?: (cause: unknown) => unknown;
  /** What `open` throws after `close`, and later calls are rejected with. */
  readonly closed?: () => Error;
  /** Called when the other side has asked for the end and all its calls are answered. */
  readonly onClose?: () => void;
}

/** One side of two threads: calls the functions of the other side, and has its own called. */
export class Calls<Other extends Functions> {
  readonly #options: CallOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #thread: Thread | undefined;
  #failure: unknown;
  #lastId = 0;
  #performing = 0;
  #isClosed = false;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** Call before the first call, and before one that may start the other side again after it has ended by itself. */
  open(): this {
    if (this.#isClosed) throw this.#closed();
    this.#thread ??= this.#start();
    return this;
  }

  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  call<Name extends keyof Other & string>(
    name: Name,
    args: Parameters<Other[Name]>,
    transfer: Transferable[] = [],
  ): Promise<Awaited<ReturnType<Other[Name]>>> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    // What can't be sent throws here, and then nothing may wait for an answer.
    this.#post({ call: name, args, id: (this.#lastId += 1) }, transfer);
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, answer);
    return answer.promise as Promise<Awaited<ReturnType<Other[Name]>>>;
  }

  /** Calls without waiting for an answer, and not at all if the other side does not run. */
  tell<Name extends keyof Other & string>(name: Name, ...args: Parameters<Other[Name]>): void {
    this.#post({ call: name, args });
  }

  /** Resolves when the other side has answered all calls and has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#thread === undefined) return;
    const gone = new Promise((resolve) => this.#thread?.on("exit", resolve));
    this.#post(null);
    await gone;
  }

  #start(): Thread {
    const thread = this.#options.start();
    let cause: unknown;
    this.#failure = undefined;
    thread.on("message", (message) => void this.#receive(message as Message));
    thread.on("error", (error) => (cause = error));
    thread.on("exit", () => {
      this.#thread = undefined;
      const isAsked = this.#isClosed && cause === undefined && this.#waiting.size === 0;
      this.#failure = isAsked ? this.#closed() : this.#options.ended?.(cause);
      for (const { reject } of this.#waiting.values()) reject(this.#failure);
      this.#waiting.clear();
    });
    return thread;
  }

  #closed(): Error {
    return this.#options.closed?.() ?? new Error("closed");
  }

  #post(message: Message, transfer: Transferable[] = []): void {
    this.#thread?.postMessage(message, transfer);
  }

  async #receive(message: Message): Promise<void> {
    if (message === null) this.#isClosed = true;
    else if ("call" in message) await this.#perform(message);
    else {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if ("error" in message) waiting?.reject(message.error);
      else waiting?.resolve(message.value);
    }
    if (this.#isClosed && this.#performing === 0) this.#options.onClose?.();
  }

  async #perform({ call, args, id }: Call): Promise<void> {
    this.#performing += 1;
    try {
      const { own = {}, load } = this.#options;
      const perform = own[call] ?? (await load?.())?.[call];
      const value = await (perform as (...given: typeof args) => unknown)(...args);
      if (id !== undefined) this.#post({ id, value });
    } catch (error) {
      if (id === undefined) throw error;
      this.#post({ id, error });
    } finally {
      this.#performing -= 1;
    }
  }
}
