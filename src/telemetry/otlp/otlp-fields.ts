// The messages of OTLP 1.x that Sluice exports, with the numbers of their fields (opentelemetry-proto, 1.0 and later: stable).
// Names, types and numbers are part of the protocol and never change.

import type { Field, Fields, Scalar } from "./protobuf.ts";

function one(no: number, type: Scalar | Fields): Field {
  return { no, type };
}

function many(no: number, type: Scalar | Fields): Field {
  return { no, type, repeated: true };
}

const anyValue: Fields = {
  stringValue: one(1, "string"),
  boolValue: one(2, "bool"),
  intValue: one(3, "int64"),
  doubleValue: one(4, "double"),
};

const keyValue: Fields = { key: one(1, "string"), value: one(2, anyValue) };
const resource: Fields = { attributes: many(1, keyValue) };
const scope: Fields = { name: one(1, "string"), version: one(2, "string") };

const link: Fields = {
  traceId: one(1, "id"),
  spanId: one(2, "id"),
  traceState: one(3, "string"),
};

const span: Fields = {
  traceId: one(1, "id"),
  spanId: one(2, "id"),
  traceState: one(3, "string"),
  parentSpanId: one(4, "id"),
  name: one(5, "string"),
  kind: one(6, "enum"),
  startTimeUnixNano: one(7, "fixed64"),
  endTimeUnixNano: one(8, "fixed64"),
  attributes: many(9, keyValue),
  links: many(13, link),
  status: one(15, { code: one(3, "enum") }),
  flags: one(16, "fixed32"),
};

const numberDataPoint: Fields = {
  startTimeUnixNano: one(2, "fixed64"),
  timeUnixNano: one(3, "fixed64"),
  asDouble: one(4, "double"),
  attributes: many(7, keyValue),
};

const histogramDataPoint: Fields = {
  startTimeUnixNano: one(2, "fixed64"),
  timeUnixNano: one(3, "fixed64"),
  count: one(4, "fixed64"),
  sum: one(5, "double"),
  bucketCounts: many(6, "fixed64"),
  explicitBounds: many(7, "double"),
  attributes: many(9, keyValue),
};

const metric: Fields = {
  name: one(1, "string"),
  description: one(2, "string"),
  unit: one(3, "string"),
  gauge: one(5, { dataPoints: many(1, numberDataPoint) }),
  sum: one(7, {
    dataPoints: many(1, numberDataPoint),
    aggregationTemporality: one(2, "enum"),
    isMonotonic: one(3, "bool"),
  }),
  histogram: one(9, {
    dataPoints: many(1, histogramDataPoint),
    aggregationTemporality: one(2, "enum"),
  }),
};

/** opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest */
export const traceRequestFields: Fields = {
  resourceSpans: many(1, {
    resource: one(1, resource),
    scopeSpans: many(2, { scope: one(1, scope), spans: many(2, span) }),
  }),
};

/** opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest */
export const metricsRequestFields: Fields = {
  resourceMetrics: many(1, {
    resource: one(1, resource),
    scopeMetrics: many(2, { scope: one(1, scope), metrics: many(2, metric) }),
  }),
};
