// GET and HEAD /v2/changes: the changes of the organization, by the read profile of Durable Streams.

import { limits } from "../../domain/limits.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { HttpContext } from "../../http/http-context.ts";
import { pageMemoryBytes } from "../../http/load/memory-budget.ts";
import { jsonReply, objectSchema, textSchema, timeSchema } from "../../http/openapi/content.ts";
import { type OwnHeader, type ParameterObject, schemaRef } from "../../http/openapi/document.ts";
import { offsetGone } from "../../http/openapi/error-responses.ts";
import { exampleOffset, exampleOrganizationId, idExample } from "../../http/openapi/examples.ts";
import { changeTag } from "../../http/openapi/parts.ts";
import type { HandlerInput, OperationDocument, Verb } from "../../http/operation.ts";
import { charge } from "../../http/rate-limit/enforce-limit.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { requireDecodable } from "../../http/request/query.ts";
import { row } from "../../http/routes.ts";
import { answerPage, tagged, workOf } from "./change-answer.ts";
import { eventType, eventWriter, noticeTypes } from "./change-event.ts";
import { type Beginning, ChangeFeed } from "./change-feed.ts";
import { liveModes, readChangeQuery } from "./change-query.ts";
import { answerLater, beginStream, LiveReaders, readerGone } from "./live-changes.ts";
import { feedLimits } from "./rows.ts";

const readChanges: Verb = {
  verb: "read changes",
  permission: "read",
  scope: "changes:read",
  body: "none",
  success: 200,
  errors: [offsetGone],

  document: () => document,

  makeHandler: (context) => {
    const { app, draining, load } = context;
    const readers = new LiveReaders(draining);
    let opened: ChangeFeed | undefined;
    return async (input) => {
      const { request, reply, caller } = input;
      requireDecodable(request);
      const cipher = await app.offsets();
      const feed = (opened ??= new ChangeFeed(app, cipher));
      const query = readChangeQuery(request.query as Record<string, unknown>, caller, cipher);
      const { from, view } = query;
      if (request.method === "HEAD") {
        // Throws what a GET with this offset would throw.
        await feed.begin(from);
        const { start } = await feed.begin(undefined);
        const offset = cipher.encode(view.organizationId, start.position);
        return answerPage({ list: Buffer.from("[]"), offset, upToDate: false });
      }
      const { live } = query;
      if (live === undefined) {
        return readPage(context, input, { ...query, bytesMax: limits.pageBytesMax, feed });
      }
      const reading = { ...query, bytesMax: feedLimits.partBytesMax, feed };
      // The reader may have disconnected while its token was looked up; then nothing would end the count.
      if (reply.raw.destroyed) return undefined;
      const { ended, leave } = readers.add(caller);
      reply.raw.once("close", leave);
      if (live === "sse") {
        load.shedding.admitStream();
        const goOn = await beginStream(context, input, { ...reading, ended });
        void goOn();
      } else {
        const { start } = await feed.begin(from);
        void answerLater(context, input, { ...reading, ended, from: start });
      }
      return undefined;
    };
  },
};

/** Waits for memory first: otherwise all readers would hold a part of their page before the first page is complete. */
async function readPage(
  context: HttpContext,
  input: HandlerInput,
  { feed, ...reading }: Beginning & { readonly feed: ChangeFeed },
): Promise<Answer> {
  const { request, reply, caller } = input;
  const gone = readerGone(reply.raw, ["halfClose"]);
  const memory = await context.load.pages.reserve(caller.organizationId, pageMemoryBytes, gone);
  try {
    const page = await feed.read(reading, gone);
    charge(context, input, workOf(page));
    return reading.from === undefined ? answerPage(page) : tagged(request, answerPage(page));
  } finally {
    memory.release();
  }
}

const [firstType] = recordTypes;

const text = { type: "string" };

function streamHeader(header: string, description: string, example: string): OwnHeader {
  return { header, description, schema: text, example };
}

const streamHeaders = [
  streamHeader(
    "Stream-Next-Offset",
    "Where the next request continues: its `offset`. Opaque, of a fixed length.",
    exampleOffset,
  ),
  streamHeader(
    "Stream-Up-To-Date",
    "`true` if no further event had arrived; otherwise the header is missing.",
    "true",
  ),
  streamHeader("Stream-Cursor", "For `cursor` of the next request; only with `live`.", "2710042"),
];

const eventSchema = objectSchema(
  "A change, as a CloudEvent 1.0 in structured JSON.",
  {
    specversion: textSchema("1.0."),
    id: textSchema("Opaque; the same for this change in every reply, and unique with the source."),
    source: textSchema("The organization."),
    type: {
      ...textSchema("The type of the record, and what happened to it."),
      enum: [
        ...recordTypes.flatMap(({ resourceType }) =>
          [true, false].map((isFirst) => eventType(resourceType, isFirst)),
        ),
        ...Object.values(noticeTypes),
      ],
    },
    subject: textSchema("Unique identifier of the record, or of the deletion that was completed."),
    time: timeSchema("When the change was received, or the record was erased."),
    datacontenttype: textSchema("With data: application/json."),
    data: {
      type: "object",
      description:
        "With content: the change as it was sent. Of an erased record: `resource_type` and `deletion_request_id`.",
      additionalProperties: {},
    },
  },
  { sometimes: ["datacontenttype", "data"] },
);

function exampleOf(payload: string | undefined): unknown {
  if (firstType === undefined) return {};
  const change = {
    resourceType: firstType.resourceType,
    resourceId: idExample(firstType),
    isFirst: true,
    receivedAt: Date.UTC(2026, 2, 1, 10),
    payload,
  };
  const write = eventWriter(exampleOrganizationId);
  return JSON.parse(write(change, "8d0f42c1a75e93b6d1fa8c237be04596")) as unknown;
}

function parameter(name: string, description: string, schema: object): ParameterObject {
  return { name, in: "query", required: false, description, schema: { ...schema } };
}

const reply = jsonReply(
  `The next events, at most ${feedLimits.replyEventsMax.toLocaleString("en-US")} and about ` +
    `${limits.pageBytesMax / 1_048_576} MiB of them.`,
  {
    name: "Changes",
    schema: { type: "array", description: "Changes.", items: schemaRef("ChangeEvent") },
    parts: { ChangeEvent: eventSchema },
    examples: {
      thin: { summary: "Without content", value: [exampleOf(undefined)] },
      content: {
        summary: "With content",
        value: [exampleOf(JSON.stringify(firstType?.example ?? {}))],
      },
    },
  },
);

const document: OperationDocument = {
  tag: changeTag,
  summary: "Read the changes of the organization",
  description:
    "The events of records that were added and updated, in the order of arrival, from an offset on; each reply says where the " +
    "next request continues. No change that was acknowledged is skipped. What was erased is gone at every offset, and where the organization has " +
    "recipients, `sluice.record.erased` says so. " +
    "The token needs `changes:read`, for content `changes:content`, and the `read` scope of each type: events of other " +
    "types leave no trace. Clients of Durable Streams can follow this feed.",
  parameters: [
    parameter(
      "offset",
      "Where to begin: `-1` for the beginning (the default), `now` for the end, or an offset that was received.",
      text,
    ),
    parameter(
      "live",
      `Waits for further events: \`long-poll\` for up to ${feedLimits.longPollMs / 1_000} seconds, \`sse\` as a stream that ends ` +
        `after ${feedLimits.streamMs / 1_000} seconds, to be continued with another request.`,
      { ...text, enum: [...liveModes] },
    ),
    parameter("cursor", "The `Stream-Cursor` of the last reply, with `live`.", text),
    parameter("types", "Only these record types, separated by commas.", text),
    parameter("include", "`content` for events with the change as `data`.", {
      ...text,
      enum: ["content"],
    }),
  ],
  reply: { ...reply, headers: streamHeaders },
  empty: {
    204: { description: "A long poll without news.", headers: streamHeaders },
    304: {
      description: "The client already has these events, according to `If-None-Match`.",
      headers: [...streamHeaders, "ETag"],
    },
  },
};

export const tags = [];

export const operations = [row("readChanges", "GET /v2/changes", readChanges)];
