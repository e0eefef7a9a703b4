// What shared tests have to know about telemetry.

import type { Samples, SettingCase } from "../sample.ts";

const wrong: readonly SettingCase[] = [
  ["OTEL_SDK_DISABLED", ["1", "yes"], /true or false/],
  ["OTEL_TRACES_EXPORTER", ["console", "otlp,zipkin"], /one of otlp, none/],
  ["OTEL_TRACES_SAMPLER", ["jaeger_remote", "on"], /one of always_on, always_off, traceidratio/],
  ["OTEL_TRACES_SAMPLER_ARG", ["1.1", "-0.1", "1%", "1e-2", "."], /a number from 0 to 1/],
  ...["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"].map(
    (name): SettingCase => [
      name,
      ["localhost:4318", "grpc://secret", "http://user:secret@localhost", "http://"],
      /an http or https URL such as http:\/\/127\.0\.0\.1:4318, without a user or password/,
    ],
  ),
  ["OTEL_EXPORTER_OTLP_PROTOCOL", ["grpc", "http", "http/json"], /one of http\/protobuf/],
];

const right = [
  ["OTEL_SDK_DISABLED", "True"],
  ["OTEL_TRACES_SAMPLER_ARG", "0.01"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example/base"],
] as const;

export const samples: Samples = {
  settings: { wrong, right },
  connects: { from: "src/feature/telemetry" },
};
