// Which files the build makes of the pages: a few, as each costs a request of its own. A file takes what its entries import and no
// file above it has, so that files import only those above, and never each other in a circle (no-circles.ts guards that).
import type { Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;

/** What every page begins with. */
const FIRST: Group = { name: 'first', tags: ['$initial'] };
/** Of long lists, which no page begins with: in the file of records, which all that show such a list have. */
const OF_LISTS =
  'long-list|searched-table|export-buttons|moment-bar|download|csv|parts|use-parts|filters|form-end';
/** What many pages share of packages and of rooms that import no page. */
const SHARED: Group = {
  name: 'shared',
  test: new RegExp(`node_modules|src.(ui|lib|api).(?!${OF_LISTS})`),
  minShareCount: 4,
};

const pages = (names: string) => new RegExp(`features.[\\w-]+.[\\w-]+.(${names})-page\\.tsx$`);
const parts = (names: string) => new RegExp(`features.[\\w-]+.[\\w-]+.(${names})\\.tsx$`);

export const GROUPS: Group[] = [
  FIRST,
  // The few lines that the next ones share: the names of a stylesheet alone would make all of the door or the frame come first.
  {
    name: 'first',
    test: /ui.(filters|form|layout)\.module\.css$|ui.form-error\.tsx$|(CheckIcon|TextInput|IconX|to-int|use-callback-ref|use-merged-ref|use-uncontrolled)\.mjs$/,
  },
  { name: 'door', test: /features.identity.auth.[\w-]+-page\.tsx$/ },
  // What opens over a page, menus and dialogs, with the fields of forms.
  {
    name: 'frame',
    test: /(ui.(menu|dialog|question|filter-sheet|draft-dialog|suggest-field|zone-field)|account-items|nav-drawer|session-ended)\.tsx$|(SegmentedControl|Checkbox|Textarea|Autosize)\.mjs$/,
  },
  SHARED,
  { name: 'server-page', test: parts('server-page|cockpit') },
  {
    name: 'records',
    test: /(alerts?|findings?|checks|runway|timeline|logs)-page\.tsx$|(findings|locks|sessions|timeline)-view\.tsx$|scope-access\.tsx$|use-statement-watch\.ts$/,
  },
  {
    name: 'admin',
    test: /features.identity.(rbac|audit|account).[\w-]+-page\.tsx$|required-second-factor\.tsx$/,
  },
  {
    name: 'server-parts',
    test: parts(
      '(activity|load|queries|databases|tables|indexes|replication|system|settings|logs|coverage|probe-settings)-view|server-links|server-facts',
    ),
  },
  { name: 'statements', test: pages('report|plan|query') },
  {
    name: 'setup',
    test: /(clusters?|rules|blackouts|channels?|probes|assistants|models|connection)-page\.tsx$|(lag-history|cluster-findings)\.tsx$/,
  },
].map((group, at, { length }) => ({ ...group, priority: length - at }));
