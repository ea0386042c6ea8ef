/** Prism looks for code to colour when it is loaded, unless it is told not to before that. */
(globalThis as { Prism?: object }).Prism = { manual: true, disableWorkerMessageHandler: true };
export {};
