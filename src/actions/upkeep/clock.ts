// Decides whether the clock can be trusted. Acts that take data away because time has passed ask this first
// (docs/decisions/0072-a-clock-that-jumps.md): a clock that jumps would otherwise erase everything that has a ceiling.
// Intake never asks.

import { dayMs } from "../../basics/duration.ts";
import type { App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";
import { retaining } from "../retention/apply-retention.ts";

export interface ClockState {
  /** Unix milliseconds. */
  readonly now: number;
  /** The time with which it is compared; undefined if the store knows none. */
  readonly lastKnown: number | undefined;
  readonly isTrusted: boolean;
}

/**
 * Compares the clock with the last times that the store, the audit trail and the ledger have. Later times prove nothing
 * by themselves, because they were written with a clock that may have been wrong; earlier ones do, unless a clock was
 * trusted after they were written.
 */
export async function readClockState(app: App): Promise<ClockState> {
  const now = app.now();
  const { store, ledger, clockJumpMs } = app;
  const [{ trustedAt, trustedNo, notedAt }, sealed] = await Promise.all([
    store.clock.read(),
    ledger.state().catch(() => undefined),
  ]);
  const reference = trustedAt ?? notedAt;
  const { audit = { no: 0 }, at: sealedAt = 0 } = sealed?.heads ?? {};
  const latest = Math.max(reference ?? now, notedAt ?? 0, audit.no > trustedNo ? sealedAt : 0);
  const isBehind = now < latest - clockJumpMs;
  const isAhead = now > (reference ?? now) + clockJumpMs;
  const lastKnown = isBehind ? latest : reference;
  return { now, lastKnown, isTrusted: clockJumpMs === 0 || !(isBehind || isAhead) };
}

/**
 * Whether time alone can take something away: a ceiling, a floor, the end of a hold, a grace period, or the age of what
 * a recipient has not acknowledged.
 */
export async function hasTimedRules(app: App): Promise<boolean> {
  const { store } = app;
  if ((await retaining(app)).length > 0) return true;
  const [rules, holds, organizations, isWaiting] = await Promise.all([
    store.retention.listRules(undefined),
    store.holds.listEnding("9999-12-31", 1),
    store.listOrganizations(),
    store.isAnyWaiting(),
  ]);
  const hasGrace = organizations.some(({ deletionGraceSeconds: seconds }) => seconds > 0);
  return rules.length + holds.length > 0 || hasGrace || isWaiting;
}

/**
 * Returns a clock that begins at a trusted time, and that nobody can set while it is used; undefined if the time is not
 * trusted.
 */
export type TrustedClock = () => Promise<App["now"] | undefined>;

interface ClockWatch {
  /** Milliseconds of a clock that nobody can set. */
  readonly monotonic: () => number;
  /** Called when the answer changes. */
  readonly onChange: (state: ClockState) => void;
}

/** How often the store is told that the clock is trusted. */
const markIntervalMs = 60_000;
/** For how long jumps add up, so that a clock that is set again and again, by little each time, is not trusted. */
const jumpsCountMs = 7 * dayMs;

/**
 * While a process runs, its clock has to move like the monotonic one. At its start, and after a jump, the store
 * decides: an operator may have confirmed the clock. A process that was stopped for longer than a jump asks for a
 * confirmation only if there are rules that depend on the time.
 */
export function watchClock(app: App, { monotonic, onChange }: ClockWatch): TrustedClock {
  const { store, clockJumpMs } = app;
  let anchor: { readonly at: number; readonly passed: number } | undefined;
  let markedAt: number | undefined;
  let wasTrusted = true;
  return async () => {
    const [at, passed] = [app.now(), monotonic()];
    if (clockJumpMs === 0) return app.now;
    const expected = anchor && anchor.at + passed - anchor.passed;
    const movesOn = expected !== undefined && Math.abs(at - expected) <= clockJumpMs;
    const state = movesOn
      ? { now: at, lastKnown: expected, isTrusted: true }
      : await readClockState(app);
    const isStart = anchor === undefined && !state.isTrusted;
    const isTrusted = state.isTrusted || (isStart && !(await hasTimedRules(app)));
    if (isTrusted) {
      const isNew = anchor === undefined || !movesOn || passed - anchor.passed > jumpsCountMs;
      if (isNew) anchor = { at, passed };
      // The time of the clock would make a later jump seem smaller.
      const mark = movesOn ? expected : at;
      const isDue = markedAt === undefined || Math.abs(mark - markedAt) >= markIntervalMs;
      if (isDue || !wasTrusted) {
        await store.clock.move(mark, !state.isTrusted);
        [markedAt, app.knownTime.at] = [mark, mark];
      }
    }
    if (isTrusted !== wasTrusted) onChange({ ...state, isTrusted });
    wasTrusted = isTrusted;
    return isTrusted ? () => at + monotonic() - passed : undefined;
  };
}

/** Returns the state before. Throws OperatorError not_permitted. */
export async function confirmClock(app: App): Promise<ClockState> {
  requireRight(app, "clock.confirm");
  const before = await readClockState(app);
  await app.store.clock.confirm(before.lastKnown, { actor: app.operator, now: before.now });
  app.knownTime.at = before.now;
  return before;
}

/** A sentence; undefined if the clock is trusted, or nothing depends on it. */
export async function describeClockJump(app: App): Promise<string | undefined> {
  const { isTrusted, now, lastKnown } = await readClockState(app);
  if (isTrusted || lastKnown === undefined || !(await hasTimedRules(app))) return undefined;
  const [clock, last] = [new Date(now), new Date(lastKnown)].map((time) => time.toISOString());
  return (
    `The clock says ${clock ?? ""}, but the last time that is known here is ${last ?? ""}: it has jumped, or nothing ran in ` +
    "between. Deletions and the ends of retention and of holds are paused until an operator confirms the clock."
  );
}
