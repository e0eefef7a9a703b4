// Runs the statements of a generator function one after another: synchronously, or waiting for each answer. The error
// of a statement is thrown where the statement was yielded.

import type { Request, Statements } from "./statements.ts";

/** A store that one command has open to run statements of its own, each in a transaction. */
export interface BareStore extends AsyncDisposable {
  perform<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Promise<Result>;
}

export function runSync<Result>(
  statements: Statements<Result>,
  answer: (request: Request) => unknown,
): Result {
  let step = statements.next();
  while (step.done !== true) {
    let answered: unknown;
    try {
      answered = answer(step.value);
    } catch (error) {
      step = statements.throw(error);
      continue;
    }
    step = statements.next(answered);
  }
  return step.value;
}

/** The first statement is sent before this returns: only a promise is waited for. */
export async function runAsync<Result>(
  statements: Statements<Result>,
  answer: (request: Request) => unknown,
): Promise<Result> {
  let step = statements.next();
  while (step.done !== true) {
    let answered: unknown;
    try {
      const answering = answer(step.value);
      answered = answering instanceof Promise ? await answering : answering;
    } catch (error) {
      step = statements.throw(error);
      continue;
    }
    step = statements.next(answered);
  }
  return step.value;
}
