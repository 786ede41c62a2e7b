// Standard output and error. They may be closed, full, or a pipe whose reader has left, which is no reason to lose a
// measurement: what cannot be shown is dropped, and why is kept for the exit code.
#pragma once
#include <string>
#include <string_view>

namespace brickwork {

// For the start of main(), before any file is opened. A stream that came closed leads nowhere from now on; else the
// first file to be opened would take its place, and its text. A pipe without a reader, and a file that may not grow,
// are errors of write() instead of signals that end the program in the middle of a row.
void open_screen();

void show(std::string_view text);
void complain(std::string_view sentence);  // on standard error, with the program's name

std::string screen_error();  // why something could not be shown; empty where everything was

}  // namespace brickwork
