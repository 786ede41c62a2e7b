// Standard output and error. A stream that is closed, full, or a pipe without a reader loses no measurement: text that
// cannot be shown is dropped, and the reason is kept for the exit code.
#pragma once
#include <string>
#include <string_view>

namespace brickwork {

// Call it at the start of main(), before any file is opened. It connects a closed stream to /dev/null, because the
// first file to be opened would take the stream's number and receive its text. It also turns the signals SIGPIPE and
// SIGXFSZ, which would end the program in the middle of a row, into errors of write().
void open_screen();

void show(std::string_view text);          // for people
void complain(std::string_view sentence);  // on standard error, with the program's name
bool shown_on_terminal();                  // whether show() writes to a terminal

// After this call show() writes to standard error, and only put_rows() writes to standard output.
void keep_output_for_rows();
void put_rows(std::string_view text);

bool reader_left();          // standard output is a pipe whose reader has gone
std::string screen_error();  // why standard output could not be written; empty if it could

}  // namespace brickwork
