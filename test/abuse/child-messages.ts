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

/** A process that answers one request at a time; started by the first. */
export class AskedChild {
  #child: ChildProcess | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects with the child's error, or if it has ended. */
  async ask(name: string, argument: unknown = {}): Promise<unknown> {
    const child = (this.#child ??= fork(this.#path, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    }));
    const stop = new AbortController();
    const ended = once(child, "exit", { signal: stop.signal }).then(([code]) => {
      throw new Error(`${this.#path} ended with ${String(code)}`);
    });
    const answered = once(child, "message", { signal: stop.signal });
    child.send({ name, argument } satisfies Question);
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
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
}
