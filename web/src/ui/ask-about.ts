// How any part of a page asks the chat about what it shows: "explain this". What surrounds the pages says how, in their scope
// and time; where nobody may chat there is nothing to call, and so no button.
import { createContext, use } from 'react';

export interface AboutQuestion {
  message: string;
  /** What is to be explained, such as an alert with its facts; at most 20,000 characters as JSON. */
  about: { kind: string; [fact: string]: unknown };
  /** Where it is about something else than its page, such as one server of many. */
  scope?: { kind: 'estate' | 'group' | 'cluster' | 'server'; id?: number };
}

export type AskAbout = (question: AboutQuestion) => void;

export const AskAboutContext = createContext<AskAbout | undefined>(undefined);

/** Opens the chat and asks at once; undefined where whoever is signed in may not chat. */
export const useAskAbout = (): AskAbout | undefined => use(AskAboutContext);
