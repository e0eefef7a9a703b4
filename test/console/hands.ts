// How somebody uses the console: with a mouse, by keyboard alone, or without JavaScript. A task is written once, in
// these terms, for all of these ways.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

export interface Hands {
  readonly page: Page;
  /** Opens a screen by its link in the navigation. */
  open(screen: string): Promise<void>;
  /** Activates the link or the button with this name. */
  press(name: string | RegExp): Promise<void>;
  /** Fills in the field with this label. */
  write(label: string, text: string): Promise<void>;
  /** Chooses an option of the list with this label. */
  choose(label: string, option: string): Promise<void>;
  /** Marks the check box or radio button with this label. */
  mark(label: string): Promise<void>;
  /** Chooses a file for the field with this label. */
  attach(label: string, file: { readonly name: string; readonly text: string }): Promise<void>;
  /** The same hands, in the section with this heading only. */
  within(heading: string): Hands;
  /** Waits until the main part of the page shows this text. */
  see(text: string | RegExp): Promise<void>;
}

export type Way = "mouse" | "keyboard" | "no script";

export function handsOf(page: Page, way: Way): Hands {
  // The navigation has a verb of its own.
  return handsIn({ page, way, part: page.locator("main, form.who") });
}

interface Reach {
  readonly page: Page;
  readonly way: Way;
  readonly part: Locator;
}

function handsIn(reach: Reach): Hands {
  const { page, way } = reach;
  return {
    page,
    see: (text) => page.locator("main").getByText(text).first().waitFor(),
    within: (name) => handsIn({ ...reach, part: page.getByRole("region", { name, exact: true }) }),
    ...(way === "keyboard" ? byKeyboard(reach) : byMouse(reach)),
  };
}

type Acts = Omit<Hands, "page" | "see" | "within">;

function byMouse({ page, part }: Reach): Acts {
  return {
    open: (screen) => linkTo(page, screen).click(),
    press: (name) => pressable(part, name).click(),
    write: (label, text) => field(part, label).fill(text),
    choose: async (label, option) => {
      await list(part, label).selectOption({ label: option });
    },
    mark: (label) => field(part, label).check(),
    attach: (label, file) => field(part, label).setInputFiles(inMemory(file)),
  };
}

function byKeyboard({ page, part }: Reach): Acts {
  const { keyboard } = page;
  // The browser needs a moment to begin asking this process for files instead of a person.
  page.on("filechooser", () => undefined);
  return {
    open: async (screen) => {
      await focus(page, linkTo(page, screen));
      await keyboard.press("Enter");
    },
    press: async (name) => {
      await focus(page, pressable(part, name));
      await keyboard.press("Enter");
    },
    write: async (label, text) => {
      await focus(page, field(part, label));
      await keyboard.press("ControlOrMeta+A");
      await keyboard.insertText(text);
    },
    choose: async (label, option) => {
      await focus(page, list(part, label));
      await keyboard.type(option);
      const chosen = await page.evaluate("document.activeElement.selectedOptions[0].label");
      assert.equal(chosen, option);
    },
    mark: async (label) => {
      await focus(page, field(part, label));
      await keyboard.press("Space");
    },
    attach: async (label, file) => {
      await focus(page, field(part, label));
      const asked = page.waitForEvent("filechooser");
      await keyboard.press("Enter");
      await (await asked).setFiles(inMemory(file));
    },
  };
}

function linkTo(page: Page, screen: string): Locator {
  return page
    .getByRole("navigation", { name: "Screens" })
    .getByRole("link", { name: screen, exact: true });
}

/** What opens details counts as a button. */
function pressable(part: Locator, name: string | RegExp): Locator {
  const named = { name, exact: true };
  return part
    .getByRole("link", named)
    .or(part.getByRole("button", named))
    .or(part.locator("summary").filter({ hasText: name }))
    .first();
}

function field(part: Locator, label: string): Locator {
  return part.getByLabel(label, { exact: true }).first();
}

/** By its role: the text of a label that contains a list has the options in it. */
function list(part: Locator, label: string): Locator {
  return part.getByRole("combobox", { name: label, exact: true }).first();
}

function inMemory({ name, text }: { readonly name: string; readonly text: string }) {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(text) };
}

const tabsMax = 200;

/** What is used of an element in the page. */
interface InPage {
  readonly tabIndex: number;
  readonly type?: string;
  readonly ownerDocument: {
    readonly activeElement: InPage | null;
    readonly defaultView: {
      getComputedStyle(element: InPage): { readonly outlineStyle: string };
    };
    querySelectorAll(selector: string): Iterable<InPage>;
  };
  checkVisibility(): boolean;
}

/**
 * Runs in the page. How often Tab can be pressed without passing the element: a group of radio buttons is passed at
 * once, and counts as nothing.
 */
function tabsBefore(element: InPage): number {
  const { ownerDocument } = element;
  const { activeElement } = ownerDocument;
  const stops = [...ownerDocument.querySelectorAll("a[href], :enabled")];
  const ahead = stops.slice(activeElement === null ? 0 : stops.indexOf(activeElement) + 1);
  const between = ahead.slice(0, Math.max(0, ahead.indexOf(element)));
  return between.filter(
    (one) => one.tabIndex === 0 && one.type !== "radio" && one.checkVisibility(),
  ).length;
}

/** Runs in the page. Undefined if the element does not have the focus. */
function outlineOfFocused(element: InPage): string | undefined {
  const { activeElement, defaultView } = element.ownerDocument;
  return activeElement === element ? defaultView.getComputedStyle(element).outlineStyle : undefined;
}

/** Presses Tab until the element has the focus, which has to be visible. */
async function focus(page: Page, element: Locator): Promise<void> {
  // Found once: to find it by its role again after each Tab takes longer than all else.
  const found = await element.elementHandle();
  // Held down for most of the way: to look where the focus is after each Tab would take most of the time.
  const held = (await found?.evaluate<number, InPage>(tabsBefore)) ?? 0;
  await Promise.all(Array.from({ length: held }, () => page.keyboard.down("Tab")));
  for (let presses = 0; presses < tabsMax; presses += 1) {
    await page.keyboard.press("Tab");
    const outline = await found?.evaluate<string | undefined, InPage>(outlineOfFocused);
    if (outline === undefined) continue;
    assert.notEqual(outline, "none", "nobody can see where the focus is");
    return;
  }
  assert.fail(`${String(element)} can't be reached with Tab`);
}
