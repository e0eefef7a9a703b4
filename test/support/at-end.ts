// Actions that undo what a test did, when it has ended. Unlike hooks of node:test, each runs even if another fails, the
// last one first; one that is added after the end of the test, from a branch that was still running, runs at once.

import type { TestContext } from "node:test";

const stacks = new WeakMap<TestContext, AsyncDisposableStack>();

export function atEnd(test: TestContext, undo: () => void | Promise<void>): void {
  const stack = stacks.get(test) ?? new AsyncDisposableStack();
  if (!stacks.has(test)) {
    stacks.set(test, stack);
    test.after(() => stack.disposeAsync());
  }
  if (stack.disposed) void undo();
  else stack.defer(undo);
}
