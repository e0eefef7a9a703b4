// Tasks about signing in and sessions.

import { addOperator } from "../browse.ts";
import type { Task } from "./task.ts";

export const signInTasks: readonly Task[] = [
  {
    title: "sign in for the first time, add a passkey, and sign in with it",
    needsScript: true,
    run: async ({ scene, mark, signedOut }) => {
      const name = await addOperator(scene.service.app, ["viewer"], `new-${mark}`);
      const hands = await signedOut();
      await hands.page.goto(await scene.signInLink(name));
      await hands.press("Sign in");
      await hands.see("You have no passkey yet");
      await hands.write("Its name, such as laptop or security key", "laptop");
      await hands.press("Add a passkey");
      await hands.page.getByRole("button", { name: /^Remove passkey/ }).waitFor();
      await hands.see("laptop (built into a device)");
      await hands.press("Sign out");
      await hands.press("Sign in with a passkey");
      await hands.see("Open deletions");
    },
  },
  {
    title: "sign in with a link, see the last day, and sign out",
    run: async ({ scene, way, signedOut }) => {
      const hands = await signedOut();
      await hands.page.goto(await scene.signInLink("vera"));
      await hands.press("Sign in");
      await hands.see(
        way === "no script" ? "Adding a passkey needs JavaScript." : "You have no passkey yet",
      );
      await hands.open("Overview");
      await hands.press("the last 24 hours");
      await hands.page.waitForURL(/period=day$/);
      await hands.press("Sign out");
      await hands.page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  },
  {
    title: "revoke the session of somebody else",
    run: async ({ as }) => {
      const others = await as("vera");
      const hands = await as("anna");
      await hands.open("Account");
      const row = hands.page.getByRole("row").filter({ hasText: "vera" });
      await hands.press((await row.getByRole("button").textContent())?.trim() ?? "");
      await row.waitFor({ state: "detached" });
      await others.open("Deletions");
      await others.page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  },
];
