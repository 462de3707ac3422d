// A number that stands before the title of every page, in the tab of the browser: what asks for attention, wherever one is.
import { createContext } from 'react';

export const TitleCount = createContext(0);
