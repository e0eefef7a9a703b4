// Keeps the threads of stores: one whose store is closed gets the next store to work on, because loading the code of
// such a thread takes ten times as long as all else of its start. Only the file of the thread is evaluated again.

import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import threads, {
  isMainThread,
  MessageChannel,
  type MessagePort,
  parentPort,
  type Transferable,
  type Worker,
  type WorkerOptions,
} from "node:worker_threads";

const isKept = /\/(?:writer|file)-thread\.ts$/;
const OwnWorker = threads.Worker;

/** What a thread works on: the file that it evaluates, and what this file finds in `node:worker_threads`. */
interface Work {
  readonly file: string;
  readonly workerData: unknown;
  readonly parentPort: MessagePort;
}

/** By the file. */
const idle = new Map<string, Worker[]>();

class KeptThread extends EventEmitter {
  readonly #port: MessagePort;

  constructor(file: string, options: WorkerOptions) {
    super();
    const worker = idle.get(file)?.pop() ?? new OwnWorker(new URL(import.meta.url), options);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const work: Work = { file, workerData: options.workerData, parentPort: port2 };
    worker.postMessage(work, [port2, ...(options.transferList ?? [])]);
    let hasFailed = false;
    const fail = (error: unknown): void => {
      hasFailed = true;
      this.emit("error", error);
    };
    worker.once("error", fail);
    // The port keeps the process running while the thread works.
    worker.unref();
    port1.on("message", (message) => this.emit("message", message));
    port1.once("close", () => {
      worker.off("error", fail);
      if (!hasFailed) idle.set(file, [...(idle.get(file) ?? []), worker]);
      this.emit("exit", 0);
    });
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}

let taken = 0;

/** In the thread. */
function take({ file, ...own }: Work): Promise<unknown> {
  Object.assign(threads, own);
  syncBuiltinESMExports();
  taken += 1;
  return import(`${file}?${taken}`);
}

function start(file: URL | string, options: WorkerOptions = {}): Worker | KeptThread {
  return isKept.test(String(file))
    ? new KeptThread(String(file), options)
    : new OwnWorker(file, options);
}

/** For all stores of this process, from now on. */
export function keepThreads(): void {
  // Not an arrow function, because it is called as a constructor.
  Object.assign(threads, { Worker: start });
  syncBuiltinESMExports();
}

if (!isMainThread) parentPort?.on("message", (work: Work) => void take(work));
