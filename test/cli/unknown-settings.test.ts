// Variables that resemble settings: which of them are named, and that other programs' variables
// never are.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addedSettings, allSettings } from "../../src/process/added-settings.ts";
import { describeUnknownSettings } from "../../src/settings/config.ts";
import { startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";

const names = allSettings.map(({ name }) => name);

/** As shells, containers, platforms, test runners, databases and other programs set them. */
const ordinary = `
  PATH HOME HOSTNAME HOSTTYPE HOST_IP USER SHELL PWD OLDPWD TERM LANG LC_ALL TZ TMPDIR EDITOR PAGER DISPLAY LOGNAME SHLVL
  LS_COLORS SSH_AUTH_SOCK XDG_DATA_DIRS XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS POST PORTS SPORT REPORT EXPORT HOSTS GHOST
  NODE_OPTIONS NODE_PATH NODE_VERSION NODE_NAME NODE_EXTRA_CA_CERTS NODENV_ROOT NPM_CONFIG_CACHE npm_package_name
  npm_config_user_agent npm_lifecycle_event INIT_CWD YARN_VERSION
  INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS LISTEN_PID STATE_DIRECTORY LOGS_DIRECTORY SYSTEMD_EXEC_PID
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT POSTGRES_PORT REDIS_PORT POD_NAME POD_IP
  SLUICE_SERVICE_HOST SLUICE_SERVICE_PORT SLUICE_SERVICE_PORT_HTTP SLUICE_PORT_8080_TCP SLUICE_PORT_8080_TCP_ADDR
  SLUICE_PORT_8080_TCP_PORT SLUICE_PORT_8080_TCP_PROTO SLUICE_DB_SERVICE_HOST SLUICE_DB_PORT_5432_TCP_ADDR
  DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_USERNAME DATABASE_PASSWORD DATABASE_SSL DATABASE_TLS
  DATABASE_SCHEMA DATABASE DB_URL DB_HOST DB_PORT PGHOST PGPORT PGDATA PGDATABASE PGUSER PGPASSWORD PGSSLMODE POSTGRES_DB
  POSTGRES_PASSWORD REDIS_URL REDIS_HOST MONGO_URL DATADIR DATA DATA_ROOT DATA_PATH DATADOG_API_KEY DD_AGENT_HOST DD_ENV
  LOGLEVEL LOG_FORMAT LOG_FILE RUST_LOG DEBUG VERBOSE METRICS_PORT OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_ENDPOINT
  SHUTDOWN_TIMEOUT GRACEFUL_TIMEOUT RATE_LIMITER TRUSTED_PROXIES TRUSTED_PROXY PROXY HTTP_PROXY HTTPS_PROXY NO_PROXY
  http_proxy no_proxy CI GITHUB_ACTIONS GITHUB_TOKEN RUNNER_TEMP GITLAB_CI CI_JOB_ID BUILD_NUMBER DYNO HEROKU_APP_NAME
  AWS_REGION AWS_SECRET_ACCESS_KEY GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_ID ENV APP_ENV RAILS_ENV NODE_ENVIRONMENT
  RECEIPT_PRINTER DELETION_QUEUE RETENTION_DAYS JAVA_HOME PYTHONPATH GOPATH VIRTUAL_ENV SSL_CERT_FILE
`;

function warningsFor(environment: Readonly<Record<string, string>>): readonly string[] {
  return describeUnknownSettings(environment, addedSettings);
}

describe("a variable that resembles a setting", () => {
  const meant: readonly (readonly [name: string, setting: string | undefined])[] = [
    ["SLUICE_PORT", "PORT"],
    ["SLUICE_LOGLEVEL", "LOG_LEVEL"],
    ["SLUICE_DATABASE_URI", "DATABASE_URL"],
    ["SLUICE_RATE_LIMIT", "RATE_LIMIT_PER_SECOND"],
    ["SLUICE_FOLDER", undefined],
    ["RATE_LIMIT_PER_SEC", "RATE_LIMIT_PER_SECOND"],
    ["RATE_LIMIT", "RATE_LIMIT_PER_SECOND"],
    ["RATELIMIT_PER_SECOND", "RATE_LIMIT_PER_SECOND"],
    ["DATABASE_POOL_SIZE", "DATABASE_POOL_MAX"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["SHUTDOWN_GRACE_SECONDS", "SHUTDOWN_GRACE_MS"],
    ["TRUST_PROXYS", "TRUST_PROXY"],
  ];
  for (const [name, setting] of meant) {
    it(`is named: ${name}${setting === undefined ? "" : `, for ${setting}`}`, () => {
      const question = setting === undefined ? "." : `; did you mean ${setting}?`;
      const expected = `${name} is not a setting and is ignored${question}`;
      assert.deepEqual(warningsFor({ [name]: "secret" }), [expected]);
    });
  }

  it("is ignored if it is empty, or if the setting that was meant is set, unless it begins with SLUICE_", () => {
    assert.deepEqual(warningsFor({ DATABASE_URI: "" }), []);
    assert.deepEqual(warningsFor({ DATABASE_URI: "x", DATABASE_URL: "y" }), []);
    assert.equal(warningsFor({ SLUICE_PORT: "1", PORT: "1" }).length, 1);
  });
});

describe("no warning is given", () => {
  it("for a setting, what clients and imports read, and variables that tests read", () => {
    const own = [...names, "SLUICE_URL", "SLUICE_ORGANIZATION", "SLUICE_API_KEY", "SLUICE_TEST_X"];
    assert.deepEqual(warningsFor(Object.fromEntries(own.map((name) => [name, "x"]))), []);
  });

  for (const name of ordinary.trim().split(/\s+/)) {
    it(`for ${name}`, () => assert.deepEqual(warningsFor({ [name]: "x" }), []));
  }

  it("for the address that Kubernetes sets for a service named sluice", () => {
    assert.deepEqual(warningsFor({ SLUICE_PORT: "tcp://10.0.0.7:8080" }), []);
  });
});

describe("the warning about a variable that resembles a setting", () => {
  const environment = { SLUICE_PORT: "9", SHUTDOWN_GRACE: "7" };

  it("is printed by commands, once each on standard error, and not among JSON", async () => {
    const line = makeCommandLine({ environment });
    await line.ask("migrate");
    const { code, err } = await line.type("organization list");
    assert.equal(code, 0);
    assert.match(err, /^(?:sluice: warning: \S+ is not a setting and is ignored; [^\n]*\n){2}$/);
    assert.deepEqual(await line.ask("organization list"), { organizations: [] });
  });

  it("is logged by a server, without the value", async () => {
    const folder = makeTempFolder();
    const more = { ...environment, LOG_LEVEL: "warn" };
    const server = await startServerProcess(testEnvironment(folder, more));
    assert.equal(await server.end("SIGTERM"), 0);
    const lines = server.output().err.trim().split("\n");
    const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
    assert.deepEqual(
      logged.map(({ level, msg }) => `${level} ${msg}`),
      [
        "warn SLUICE_PORT is not a setting and is ignored; did you mean PORT?",
        "warn SHUTDOWN_GRACE is not a setting and is ignored; did you mean SHUTDOWN_GRACE_MS?",
      ],
    );
  });
});
