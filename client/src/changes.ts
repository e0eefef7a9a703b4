// Follows the changes of the organization page by page. Keeps no offset: the caller stores the one of each page.

import type { Reply } from "./exchange.ts";
import type { ChangeEvent } from "./generated/replies.ts";
import { requireKnown } from "./options.ts";
import type { CallOptions, Session } from "./session.ts";
import { sleep } from "./wait.ts";

export interface ChangesOptions extends Pick<CallOptions, "signal"> {
  /** Where to begin: `-1` for the beginning (the default), `now`, or the `offset` of the last page. */
  readonly offset?: string | undefined;
  /** Selects record types, such as `transaction`. */
  readonly types?: readonly string[] | undefined;
  /** Whether events have the change itself as `data`. Needs the scope `changes:content`. */
  readonly content?: boolean | undefined;
  /** Whether to wait for further changes at the end of the feed, or to return there. Default: true. */
  readonly follow?: boolean | undefined;
}

export interface ChangePage {
  /** In the order of arrival. Empty if only the offset is new, as after `now`. */
  readonly events: readonly ChangeEvent[];
  /** Where the next page begins. Store it in the transaction in which the events take effect. */
  readonly offset: string;
  /** Whether no further change had arrived. */
  readonly upToDate: boolean;
}

/** How long the service waits for the next change. */
const longPollMs = 20_000;
/** A service that is stopping answers at once. */
const pauseMs = 1_000;

export async function* followChanges(
  session: Session,
  options: ChangesOptions,
): AsyncGenerator<ChangePage, void, undefined> {
  requireKnown(options, ["offset", "types", "content", "follow", "signal"]);
  const { follow = true, signal } = options;
  let { offset = "-1" } = options;
  for (;;) {
    const began = performance.now();
    const page = await readPage(session, { ...options, follow, offset });
    if (page.events.length > 0 || page.offset !== offset) yield page;
    else if (follow && performance.now() - began < pauseMs) await sleep(pauseMs, signal);
    if (page.upToDate && !follow) return;
    ({ offset } = page);
  }
}

async function readPage(
  session: Session,
  { offset, types, content, follow, signal }: ChangesOptions & { readonly offset: string },
): Promise<ChangePage> {
  const query = new URLSearchParams({ offset });
  if (types !== undefined) query.set("types", types.join(","));
  if (content === true) query.set("include", "content");
  // For `now`, the offset is needed at once, before anything arrives.
  const waits = follow === true && offset !== "now";
  if (waits) query.set("live", "long-poll");
  const replies: Reply[] = [];
  const events = await session.call<readonly ChangeEvent[]>({
    method: "GET",
    path: `/v2/changes?${query.toString()}`,
    signal,
    waitMs: waits ? longPollMs : 0,
    onReply: (reply) => replies.push(reply),
  });
  const headers = replies.at(-1)?.headers;
  const next = headers?.get("stream-next-offset") ?? undefined;
  if (next === undefined) throw new TypeError("A proxy has removed the header Stream-Next-Offset.");
  return { events, offset: next, upToDate: headers?.get("stream-up-to-date") === "true" };
}
