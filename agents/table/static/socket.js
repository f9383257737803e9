// The connection to a table: says hello, comes back by itself, hands on what it is told.

const FIRST_WAIT = 500; // milliseconds until it tries again; doubled each time
const LONGEST_WAIT = 15000;
const REFUSED = 4400; // from this code on the server does not want us

/**
 * Connect to `address` and stay connected. `hello` gives the first message each time; `on` is called with every message,
 * `onState` with "connecting", "open", "lost" or, for good, "refused" and the code. Returns what sends and what closes.
 */
export function connected(address, { hello, on, onState }) {
  let socket = null;
  let wait = FIRST_WAIT;
  let timer = 0;
  let ended = false;

  function open() {
    clearTimeout(timer);
    onState("connecting");
    socket = new WebSocket(address);
    socket.addEventListener("open", () => socket.send(JSON.stringify(hello())));
    socket.addEventListener("message", ({ data }) => {
      wait = FIRST_WAIT;
      onState("open");
      on(JSON.parse(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (ended) return;
      if (code >= REFUSED && code < 5000) {
        ended = true;
        onState("refused", code);
        return;
      }
      onState("lost");
      timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT);
    });
  }

  addEventListener("online", () => socket?.readyState === WebSocket.CLOSED && !ended && open());
  open();
  return {
    /** Send a message; false if there is no connection now. */
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    close() {
      ended = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
