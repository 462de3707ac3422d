// What the chat is told of what is not collected: of one thing, or of the worst of all. Pure.
import type { Coverage } from '../../../api/types.ts';
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import { fewOf, type Group } from './coverage-groups.ts';

const MOST_NAMES = 20;
const MOST_THINGS = 20;

type Missing = Group & Partial<Pick<Coverage['remedies'][number], 'statement' | 'needs_restart'>>;

const factsOf = ({ status, reason, probes, databases, statement, needs_restart }: Missing) => ({
  ...{ status, reason, probes: probes.slice(0, MOST_NAMES), databases: databases.slice(0, MOST_NAMES) },
  ...(statement !== undefined && { mended_by: statement, needs_restart }),
});

/** The question about one thing that is not collected. */
export const aboutMissing = (missing: Missing): AboutQuestion => ({
  message: `Why is ${fewOf(missing.probes)} not collected here, what can I not see without it, and is it safe to fix it?`,
  about: { kind: 'coverage', missing: [factsOf(missing)] },
});

/** The question about all of it. */
export const aboutAllMissing = (missing: readonly Missing[]): AboutQuestion => ({
  message:
    'What is not collected on this server, what can I not see because of it, and what should I fix first?',
  about: {
    kind: 'coverage',
    missing: missing.slice(0, MOST_THINGS).map(factsOf),
    ...(missing.length > MOST_THINGS && { left_out: missing.length - MOST_THINGS }),
  },
});
