// Requests from a campaign to the processes that it starts, and their answers.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

interface Question {
  readonly name: string;
  readonly argument: unknown;
}

type Answer = { readonly value: unknown } | { readonly error: string };

function send(answer: Answer): void {
  process.send?.(answer);
}

/** Each handler answers the request of its name; called once, in the child. */
export function answerParent(
  handlers: Readonly<Record<string, (argument: never) => Promise<unknown> | undefined>>,
): void {
  process.on("message", ({ name, argument }: Question) => {
    Promise.resolve(handlers[name]?.(argument as never)).then(
      (value) => send({ value }),
      (error: unknown) =>
        send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}

/** A process that answers one request at a time. */
export class AskedChild {
  readonly #child: ChildProcess;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.#child = fork(path, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  }

  /** Rejects with the child's error, or if it has ended. */
  async ask(name: string, argument: unknown = {}): Promise<unknown> {
    const stop = new AbortController();
    const ended = once(this.#child, "exit", { signal: stop.signal }).then(([code]) => {
      throw new Error(`${this.#path} ended with ${String(code)}`);
    });
    const answered = once(this.#child, "message", { signal: stop.signal });
    this.#child.send({ name, argument } satisfies Question);
    try {
      const [answer] = (await Promise.race([answered, ended])) as [Answer];
      if ("error" in answer) throw new Error(answer.error);
      return answer.value;
    } finally {
      stop.abort();
      await Promise.allSettled([ended, answered]);
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
