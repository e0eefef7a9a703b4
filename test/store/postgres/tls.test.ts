// Connections with TLS, as docs/guides/postgresql.md describes them: a server with a certificate of
// a private authority, and the effect of each way to name it in DATABASE_URL.

import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Certificates, makeCertificates } from "../../support/certificates.ts";
import { findBinaries } from "../../support/postgres/postgres-binaries.ts";
import {
  password,
  type PostgresServer,
  startPostgres,
} from "../../support/postgres/postgres-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";

describe("a server with a certificate of a private authority", () => {
  let server: PostgresServer;
  let certificates: Certificates;
  let misnamed: Certificates;
  let url: URL;
  const folder = makeTempFolder();
  before(async () => {
    chmodSync(folder, 0o755);
    const { runAs: owner } = await findBinaries(folder);
    certificates = makeCertificates(join(folder, "one"), { name: "localhost", owner });
    misnamed = makeCertificates(join(folder, "other"), { name: "db.example", owner });
    server = await startPostgres({
      own: true,
    });
    await server.query("ALTER SYSTEM SET ssl = on");
    await show(certificates);
    await waitFor("the server to offer TLS", async () => {
      const [row] = await server.query("SELECT current_setting('ssl') AS ssl");
      return row?.["ssl"] === "on";
    });
    url = new URL(await server.makeDatabase());
    url.hostname = "localhost";
  });
  after(() => server.remove());

  function urlWith(parameters: Readonly<Record<string, string>>): string {
    const changed = new URL(url);
    for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
    return changed.href;
  }

  /** Opens the store, and returns whether the server says that the connections are encrypted. */
  async function isEncrypted(databaseUrl: string): Promise<boolean> {
    const store = await openTestStore(databaseUrl, { role: "command" });
    const [row] = await server.query(
      `SELECT bool_and(ssl) AS encrypted FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE application_name = 'sluice'`,
    );
    await store.close();
    return row?.["encrypted"] === true;
  }

  it("is verified with sslmode=verify-full and the authority in sslrootcert", async () => {
    const sslrootcert = certificates.authority;
    assert.equal(await isEncrypted(urlWith({ sslmode: "verify-full", sslrootcert })), true);
  });

  it("is refused, and not trusted, where the authority is not named; the error says what to do", async () => {
    for (const sslmode of ["verify-full", "require"]) {
      await assert.rejects(
        openTestStore(urlWith({ sslmode }), { role: "command" }),
        (error: Error) => {
          assert.equal(error.name, "StoreError");
          assert.match(error.message, /certificate .*sslrootcert=.* NODE_EXTRA_CA_CERTS/s);
          assert.ok(!error.message.includes(password));
          return true;
        },
      );
    }
  });

  it("is refused under a name that its certificate does not have", async () => {
    await show(misnamed);
    const named = urlWith({ sslmode: "verify-full", sslrootcert: misnamed.authority });
    await waitFor("the server to show its other certificate", () =>
      openTestStore(named, { role: "command" }).then(
        (store) => store.close(),
        (error: Error) => /by a name that is in its certificate/.test(error.message),
      ),
    );
    await assert.rejects(openTestStore(named, { role: "command" }), /db\.example/);
    await show(certificates);
  });

  async function show({ server: file, serverKey }: Certificates): Promise<void> {
    await server.query(`ALTER SYSTEM SET ssl_cert_file = '${file}'`);
    await server.query(`ALTER SYSTEM SET ssl_key_file = '${serverKey}'`);
    await server.query("SELECT pg_reload_conf()");
  }

  it("is not encrypted without sslmode", async () => {
    assert.equal(await isEncrypted(url.href), false);
  });

  it("reports the file where that of the authority can't be read", async () => {
    const missing = urlWith({ sslmode: "verify-full", sslrootcert: "/not/there/ca.pem" });
    await assert.rejects(openTestStore(missing, { role: "command" }), (error: Error) => {
      assert.equal(error.name, "StoreError");
      assert.match(error.message, /\/not\/there\/ca\.pem.* Check sslrootcert/);
      assert.ok(!error.message.includes(password));
      return true;
    });
  });
});
