// Where the time bar is drawn: the top bar of the shell, so that each page has it in the same place. Undefined outside of the shell.
import { createContext } from 'react';

export const TimeSlot = createContext<HTMLElement | null | undefined>(undefined);
