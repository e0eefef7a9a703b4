// Sign-in with OpenID Connect in a real browser, without JavaScript, from one site to another and back: what browsers
// do with cookies and redirects between sites can't be seen over HTTP.

import assert from "node:assert/strict";
import { it } from "node:test";
import { findFreePort } from "../support/free-port.ts";
import { clientSecret, startIssuer } from "../support/openid-issuer.ts";
import { startService } from "../support/service.ts";
import { openBrowser } from "./browser.ts";

it("signs in with an issuer at another site, and ends in the console", async (test) => {
  // The issuer has to know the address before the service listens on it.
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const issuer = await startIssuer(`${url}/console/openid/answer`);
  test.after(() => issuer.stop());
  const service = await startService({
    environment: {
      PORT: String(port),
      CONSOLE_URL: url,
      OIDC_ISSUER: issuer.address,
      OIDC_CLIENT_ID: "sluice",
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_SCOPE: "openid profile",
      OIDC_ROLES: "staff=viewer",
    },
  });
  test.after(() => service.stop());
  const browser = await openBrowser();
  test.after(() => browser.close());
  issuer.people.set("1", { preferred_username: "zoe", groups: ["staff"] });
  issuer.current = "1";

  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${url}/console/sign-in`);
  await page.getByRole("button", { name: "Sign in with 127.0.0.1" }).click();
  await page.waitForURL(`${url}/console`);
  assert.match((await page.textContent(".who")) ?? "", /zoe.*viewer/s);
  const cookies = await context.cookies();
  const session = cookies.find(({ name }) => name === "sluice_session");
  assert.deepEqual([session?.sameSite, session?.httpOnly], ["Strict", true]);

  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/console/sign-in`);
  await page.goto(`${url}/console`);
  assert.equal(page.url(), `${url}/console/sign-in`);
});
